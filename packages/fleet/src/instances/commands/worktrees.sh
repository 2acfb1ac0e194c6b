# A linked worktree has a file instead of the folder `.git`: it names the folder in its repository that is of this worktree alone.

# leads DIRECTORY: sets $own_git to what its file `.git` names, where that is the place of a linked worktree.
leads() {
  [ -f "$1/.git" ] && [ ! -L "$1/.git" ] && IFS= read -r own_git <"$1/.git" || return 1
  own_git=${own_git#gitdir: }
  case $own_git in
    *//* | */./* | */../* | */.git/worktrees/*/*) return 1 ;;
    /*/.git/worktrees/?*) ;;
    *) return 1 ;;
  esac
}

# locate DIRECTORY: where Git has what is of this checkout alone, $own_git, and where the receipt is, $marks; seen from inside that
# is $receipts, and what all worktrees of the repository share is in $shared_git. Fails for what has no Git folder.
locate() {
  if [ -d "$1/.git" ] && [ ! -L "$1/.git" ]; then
    own_git=$1/.git shared_git=.git receipts=.git/$receipt
  else
    leads "$1" && [ "$(cd -P -- "$own_git" && pwd -P)" = "$own_git" ] || return 1
    shared_git=${own_git%/worktrees/*} receipts=$own_git/$receipt
  fi
  marks=$own_git/$receipt
}

# hold DIRECTORY: keeps Git from clearing away what it has of a linked worktree while that is not where Git knows it.
hold() {
  leads "$1" && [ -d "$own_git" ] || return 0
  exists "$own_git/locked" || (set -C && echo fleet >"$own_git/locked")
}

# point FILE TEXT: writes the line by which Git finds a linked worktree, or its repository.
point() {
  rm -f -- "$1.fleet-$preparation"
  (set -C && printf '%s\n' "$2" >"$1.fleet-$preparation") && flush "$1.fleet-$preparation" &&
    mv -f -- "$1.fleet-$preparation" "$1" && flush "${1%/*}"
}

# relink DIRECTORY: tells Git where a linked worktree is now. Others are as they were.
relink() {
  leads "$1" && [ -d "$own_git" ] || return 0
  place=$(cd -P -- "$1" && pwd -P)/.git
  [ "$(cat -- "$own_git/gitdir")" = "$place" ] || point "$own_git/gitdir" "$place" || return 1
  if [ "$(cat -- "$own_git/locked")" = fleet ]; then remove "$own_git/locked"; fi
}

# erase_link DIRECTORY: removes what an interrupted erase left of a linked worktree: its file `.git`, and empty folders of it.
erase_link() {
  leads "$1" && [ ! -L "$own_git" ] && [ -z "$(find "$1" -mindepth 1 -maxdepth 1 ! -name .git -print)" ] || return 0
  [ ! -L "$own_git/$receipt" ] || return 0
  # Begun for this attempt alone, and given no receipt yet.
  case $own_git in */worktrees/"$preparation") exists "$own_git/$receipt/preparation" || remove_tree "$own_git" ;; esac
  # Unflushed "$own_git/$receipt/preparation.$preparation", "$own_git/$receipt", "$own_git": the next erase removes what comes back.
  rm -f -- "$own_git/$receipt/preparation.$preparation"
  rmdir -- "$own_git/$receipt"
  rmdir -- "$own_git"
  exists "$own_git" || remove "$1/.git"
}
