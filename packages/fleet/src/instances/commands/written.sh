# What of a commit is in the tree, which may be cut off.

# is_written PATH BLOB BLOB: nothing of it is there, or what Git put there.
is_written() {
  is_clear "$1" && exists "./$1" || return 0
  if [ -L "./$1" ]; then found=$(printf %s "$(readlink -- "./$1")" | g_reading hash-object --stdin)
  elif [ -f "./$1" ]; then found=$(g hash-object --path="$1" -- "./$1")
  else [ -d "./$1" ]; return
  fi
  [ "$found" != "$2" ] && [ "$found" != "$3" ] || return 0
  [ -f "./$1" ] && [ ! -L "./$1" ] &&
    lent cat-file --filters "$aimed_at:$1" | head -c "$(($(wc -c <"./$1")))" | cmp -s - "./$1"
}
# is_clear PATH: no link and no file is in the place of a folder above it.
is_clear() {
  above=$1
  while case $above in */*) ;; *) false ;; esac; do
    above=${above%/*}
    [ ! -L "./$above" ] && { [ -d "./$above" ] || ! exists "./$above"; } || return 1
  done
}
