# Without Git LFS its files are texts that name the content.
in_lfs() { g -c core.quotePath=false ls-files -- ':(attr:filter=lfs)' | head -n 20; }
pointers() {
  while IFS= read -r file; do
    [ -f "./$file" ] && [ ! -L "./$file" ] && head -c 40 -- "./$file" | grep -q '^version https://git-lfs' && echo yes
  done
}

# checked_out [later]: the answer of a source that was checked out, once it is on the disk. Later, where nothing is claimed of it before
# all of it is flushed again: the flush begins, and what follows works meanwhile.
checked_out() {
  [ -z "$(in_lfs | pointers)" ] || say lfs-missing
  commit=$(g rev-parse --verify HEAD) || say checkout-failed
  if [ "$1" = later ]; then (flush_storage .) </dev/null >/dev/null 2>&1 &
  else flush_storage . || say checkout-failed
  fi
  field commit "$commit"
  field submodules "$(g ls-files -s | grep -c '^160000 ')"
  say resolved
}
