# What the scripts of a transfer have in common.
work=./.fleet-preparation-$preparation

# leave_out PATH: a database of the checkout that is carried by itself; nothing when it is empty. Sets `kept`.
leave_out() {
  kept=$1
  # As a pattern it means itself.
  pattern=$(printf '%s' "$1" | sed 's/[][\\*?]/\\&/g')
}
leave_out ''

# mark DIRECTORY: writes the receipt of this transfer.
mark() {
  mkdir -- "$1/$receipts" || return 1
  printf '%s %s\n%s\n' "$preparation" "$(ident "$1")" "$(storage "$1")" >"$1/$receipts/preparation.$preparation" || return 1
  flush "$1/$receipts/preparation.$preparation"
  mv -f -- "$1/$receipts/preparation.$preparation" "$1/$receipts/preparation" && flush "$1/$receipts"
}

# Names, kinds, modes, links and contents below a directory, in one digest; fails when something cannot be read. Sockets are
# left out, as tar does: who listened on them has ended. Contents are read on several cores, each with a list of its own.
# shellcheck disable=SC2016 # The inner shell expands them.
content() {
  # Unflushed "$lists": nobody reads them after a power cut.
  lists=$(mktemp -d) || return 1
  if (cd "$1" && set -- -path "./.git/$receipt" &&
    { [ -z "$kept" ] || for end in '' -wal -shm -journal; do set -- "$@" -o -path "./$pattern$end"; done; } &&
    find . \( "$@" \) -prune -o ! -type s -printf '%y %m %P %l\0' >"$lists/names" &&
    find . \( "$@" \) -prune -o -type f -print0 >"$lists/files" &&
    xargs --null --no-run-if-empty --max-args=100 --max-procs=4 \
      sh -c 'exec b2sum --length=256 --zero -- "$@" >>"$0/contents.$$"' "$lists" <"$lists/files"); then
    find "$lists" ! -name files -type f -exec cat -- {} + | LC_ALL=C sort --zero-terminated | b2sum --length=256 | cut -d ' ' -f 1
    rm -rf -- "$lists"
  else
    rm -rf -- "$lists"
    return 1
  fi
}
