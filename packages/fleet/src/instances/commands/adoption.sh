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
  if ! proven "$1"; then
    # An earlier one may have ended before this.
    locate "$1" && [ ! -L "$marks" ] && rmdir -- "$marks"
    return 0
  fi
  # Unflushed "$marks/worker", "$marks/copied", "$marks": the receipt, which is flushed, says whose they are.
  rm -f -- "$marks/worker" "$marks/copied"
  remove "$marks/preparation" && rmdir -- "$marks"
}

# repair DIRECTORY FORMER: linked worktrees name the place of their repository, which was FORMER, and it names theirs, also of those
# that it holds itself. One that names another repository, of which this is a copy, stays as it is: `git worktree repair` would take it.
repair() {
  relink "$1" || return 1
  [ -d "$1/.git/worktrees" ] || return 0
  (
    cd "$1" && set -- "$2" "$(pwd -P)" || exit 1
    for entry in .git/worktrees/*/gitdir; do
      [ -f "$entry" ] && IFS= read -r place <"$entry" || continue
      entry=${entry%/gitdir}
      case $place in
        ../*)
          base=$1/$entry
          while case $place in ../*) ;; *) false ;; esac; do place=${place#../} base=${base%/*}; done
          place=$base/$place ;;
      esac
      case $place in "$1"/*/.git) moved=$2${place#"$1"} ;; *) moved=$place ;; esac
      [ -f "$moved" ] && [ ! -L "$moved" ] && IFS= read -r link <"$moved" || continue
      # Unflushed "$moved.fleet-$preparation": what comes back of an attempt that ended here is removed by its next one.
      ! exists "$moved.fleet-$preparation" || rm -f -- "$moved.fleet-$preparation"
      [ "$moved" = "$place" ] || point "$entry/gitdir" "$moved" || exit 1
      link=${link#gitdir: }
      case $link in /*) ;; *) link=${moved%/.git}/$link ;; esac
      # Its repository is no longer there, so only the way to the folder of that is looked up.
      named=${link%/.git/worktrees/*}
      parent=$(cd -P -- "${named%/*}/" && pwd -P)
      [ "${parent%/}/${named##*/}/.git/worktrees/${link##*/}" != "$1/$entry" ] || point "$moved" "gitdir: $2/$entry" || exit 1
    done
  )
}

# straighten DIRECTORY: Git may have written the way from a linked worktree as one that a move breaks.
straighten() {
  [ -f "$1/.git" ] && [ ! -L "$1/.git" ] && IFS= read -r link <"$1/.git" || return 1
  case $link in 'gitdir: /'*) return ;; 'gitdir: '*) ;; *) return 1 ;; esac
  link=$(cd -P -- "$1" && cd -P -- "${link#gitdir: }" && pwd -P) || return 1
  point "$1/.git" "gitdir: $link"
}

# is_source DIRECTORY: whether it is the top of a checkout, or of a linked worktree of $main where that is set.
is_source() {
  if [ -n "$main" ]; then straighten "$1" && is_ours "$1"; else [ -d "$1/.git" ] && [ ! -L "$1/.git" ]; fi &&
    [ "$(cd -P -- "$1" && pwd -P)" = "$1" ]
}
is_ours() { leads "$1" && case $own_git in "$main"/.git/worktrees/*) [ -d "$own_git" ] ;; *) return 1 ;; esac; }
