# Names that survive a power cut: one that was changed is on the disk before the script goes on.

# flush PATH…: files, or the names in folders. Only GNU's sync takes paths and tells when that fails.
flush() {
  sync "$@" && return 0
  if sync --version >/dev/null; then return 1; fi
  sync
}

# flush_names PATH: those beside the path, its own among them.
flush_names() {
  case $1 in */*) flush "${1%/*}/" ;; *) flush . ;; esac
}

# flush_links UNITS TARGET…: the links in a folder of units by which they start with the targets. That folder gets and loses theirs.
flush_links() {
  links_of=$1
  shift
  for target; do
    shift
    [ ! -d "$links_of/$target.wants" ] || set -- "$@" "$links_of/$target.wants"
  done
  flush "$links_of" "$@"
}

# remove PATH: no matter whether it is there.
remove() {
  if [ -e "$1" ] || [ -L "$1" ]; then rm -f -- "$1" && flush_names "$1"; fi
}

# remove_tree PATH: with everything below it, no matter whether it is there.
remove_tree() {
  if [ -e "$1" ] || [ -L "$1" ]; then rm -rf -- "$1" && flush_names "$1"; fi
}

# remove_empty PATH: a folder with nothing in it.
remove_empty() { rmdir -- "$1" && flush_names "$1"; }

# make_folder PATH: with every parent that is missing.
make_folder() {
  if [ -d "$1" ]; then return 0; fi
  case $1 in */*/*) make_folder "${1%/*}" || return 1 ;; esac
  { mkdir -- "$1" || [ -d "$1" ]; } && flush_names "$1"
}
