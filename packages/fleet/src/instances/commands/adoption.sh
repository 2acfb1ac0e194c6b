# What the scripts of a registration have in common; $source is the directory that is adopted.
work=./.fleet-preparation-$preparation

# mark DIRECTORY: writes the receipt of this attempt.
mark() {
  locate "$1" && [ ! -L "$marks" ] || return 1
  [ -d "$marks" ] || mkdir -- "$marks" || return 1
  printf '%s %s\n%s\n' "$preparation" "$(ident "$1")" "$(storage "$1")" >"$marks/preparation.$preparation" || return 1
  flush "$marks/preparation.$preparation"
  mv -f -- "$marks/preparation.$preparation" "$marks/preparation" && flush "$marks"
}

# unmark DIRECTORY: takes it away again, with nothing else.
unmark() {
  proven "$1" || return 0
  # Unflushed "$marks/worker", "$marks/copied", "$marks": the receipt, which is flushed, says whose they are.
  rm -f -- "$marks/worker" "$marks/copied"
  remove "$marks/preparation" && rmdir -- "$marks"
}

# repair DIRECTORY FORMER: linked worktrees name the place of their repository, which was FORMER, and it names theirs, also of those
# that it holds itself.
repair() {
  relink "$1" || return 1
  [ -d "$1/.git/worktrees" ] || return 0
  (
    cd "$1" && tame && set -- "$2" "$(pwd -P)" || exit 1
    for entry in .git/worktrees/*/gitdir; do
      [ -f "$entry" ] && IFS= read -r place <"$entry" || continue
      case $place in "$1"/*/.git) moved=$2${place#"$1"} ;; *) continue ;; esac
      [ ! -f "$moved" ] || g worktree repair "${moved%/.git}" || exit 1
    done
    g worktree repair
  )
}

# straighten DIRECTORY: Git may have written the way from a linked worktree as one that a move breaks.
straighten() {
  [ -f "$1/.git" ] && [ ! -L "$1/.git" ] && IFS= read -r link <"$1/.git" || return 1
  case $link in 'gitdir: /'*) return ;; 'gitdir: '*) ;; *) return 1 ;; esac
  link=$(cd -P -- "$1" && cd -P -- "${link#gitdir: }" && pwd -P) || return 1
  rm -f -- "$1/.git.fleet-$preparation"
  (set -C && printf 'gitdir: %s\n' "$link" >"$1/.git.fleet-$preparation") && flush "$1/.git.fleet-$preparation" &&
    mv -f -- "$1/.git.fleet-$preparation" "$1/.git" && flush "$1"
}

# is_source DIRECTORY: whether it is the top of a checkout, or of a linked worktree of $main where that is set.
is_source() {
  if [ -n "$main" ]; then straighten "$1" && is_ours "$1"; else [ -d "$1/.git" ] && [ ! -L "$1/.git" ]; fi &&
    [ "$(cd -P -- "$1" && pwd -P)" = "$1" ]
}
is_ours() { leads "$1" && case $own_git in "$main"/.git/worktrees/*) [ -d "$own_git" ] ;; *) return 1 ;; esac; }
