# What the scripts of a registration have in common; $source is the directory that is adopted.
work=./.fleet-preparation-$preparation

# mark DIRECTORY: writes the receipt of this attempt.
mark() {
  [ ! -L "$1/.git" ] && [ ! -L "$1/$receipts" ] || return 1
  [ -d "$1/$receipts" ] || mkdir -- "$1/$receipts" || return 1
  printf '%s %s\n%s\n' "$preparation" "$(ident "$1")" "$(storage "$1")" >"$1/$receipts/preparation.$preparation" || return 1
  flush "$1/$receipts/preparation.$preparation"
  mv -f -- "$1/$receipts/preparation.$preparation" "$1/$receipts/preparation" && flush "$1/$receipts"
}

# unmark DIRECTORY: takes it away again, with nothing else.
unmark() {
  proven "$1" || return 0
  # Unflushed "$1/$receipts/worker", "$1/$receipts/copied", "$1/$receipts": the receipt, which is flushed, says whose they are.
  rm -f -- "$1/$receipts/worker" "$1/$receipts/copied"
  remove "$1/$receipts/preparation" && rmdir -- "$1/$receipts"
}

# Linked worktrees name the place of their repository.
repair() {
  [ -d "$1/.git/worktrees" ] || return 0
  (cd "$1" && tame && g worktree repair)
}
