# release source
# Arguments: after those of checkout.sh, the directory of another file system that was copied.
source=$1
# Where it is deleted, beside where it was.
given_up=${source%/*}/.fleet-removal-$preparation
enter
proven "./$name" || say foreign
if exists "$source" && ! exists "$given_up"; then
  [ -d "$source" ] && [ ! -L "$source" ] && [ -d "$source/.git" ] && [ ! -L "$source/.git" ] || say changed
  # Somebody may have worked on in it.
  [ "$(content "$source")" = "$(cat "./$name/$receipts/copied")" ] || say changed
  mv -nT -- "$source" "$given_up" && flush_names "$source" && ! exists "$source" || say failed
fi
if exists "$given_up"; then
  loosen "$given_up"
  remove_tree "$given_up" || say failed
fi
# Unflushed "./$name/$receipts/copied": it is read only while there is something to compare with it.
rm -f -- "./$name/$receipts/copied"
say released
