# release source
# Arguments: after those of checkout.sh, the directory of another file system that was copied.
source=$1
# Where it is deleted, beside where it was.
given_up=${source%/*}/.fleet-removal-$preparation
enter
proven "./$name" || say foreign
copied=$marks/copied
# Nothing was copied, or that is released already; what is there is somebody else's.
[ -f "$copied" ] || say released
{ IFS= read -r digest && IFS= read -r former; } <"$copied"
former=${former:-$source/.git}
if exists "$source" && ! exists "$given_up"; then
  [ -d "$source" ] && [ ! -L "$source" ] && locate "$source" && [ "$own_git" = "$former" ] || say changed
  # Somebody may have worked on in it.
  [ "$(content "$source")" = "$digest" ] || say changed
  mv -nT -- "$source" "$given_up" && flush_names "$source" && ! exists "$source" || say failed
fi
if exists "$given_up"; then
  loosen "$given_up"
  remove_tree "$given_up" || say failed
fi
# What its repository has of a linked worktree that is gone.
case $former in
  "$source"/*) ;;
  */.git/worktrees/?*)
    if [ "$(cat -- "$former/gitdir")" = "$source/.git" ]; then remove_tree "$former" || say failed; fi ;;
esac
# Unflushed "$copied": it is read only while there is something to compare with it.
rm -f -- "$copied"
say released
