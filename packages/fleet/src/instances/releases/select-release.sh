# select release
# Arguments: after those of checkout.sh, `new` for a release that has just been prepared, `kept` for one of before.
enter
proven "./$name" || say foreign
if [ "$1" = new ]; then
  # From here on the release is complete: whatever happens now, it can be selected again.
  rm -f -- "./$name/$receipts/release"
  (set -C && echo complete >"./$name/$receipts/release") || say failed
  flush_storage . || say failed
fi
[ -f "./$name/$receipts/release" ] && [ ! -L "./$name/$receipts/release" ] || say incomplete
cd -P -- "$root" || say root-missing
if exists ./current; then [ -L ./current ] || say unsafe; fi
# Unflushed ./current.fleet-new: the move flushes the folder.
rm -f -- ./current.fleet-new
ln -s -- "$folder/$name" ./current.fleet-new || say failed
move ./current.fleet-new ./current || say failed
say selected
