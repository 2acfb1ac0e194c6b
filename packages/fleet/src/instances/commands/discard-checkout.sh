# discard checkout
# Arguments: after those of checkout.sh, the name part of the quarantine, the mode, the path of its `.env`, the patterns of its candidates,
# `drop` for a linked worktree the branch of which was made with it.
removal=$1 mode=$2 own=$3 candidates=$4 drop=$5
quarantine=./.fleet-removal-$removal work=./.fleet-preparation-$preparation

as_recorded() {
  read -r recorded heads_then worktrees_then <"$receipts/removal" && [ "$recorded" = "$removal" ] || { echo unrecorded; exit; }
  tame
  [ "$(worktrees | digest)" = "$worktrees_then" ] || { echo worktrees-changed; exit; }
  [ "$mode" = force ] && return
  [ "$(heads)" = "$heads_then" ] && [ "$(loss "$own")" = clean ] || { echo changed; exit; }
}

# What its branch has is at the origin, so only the name is lost. It stays where somebody else has it checked out.
drop_branch() (cd "$repository" && tame && is_contained && g branch -q -D -- "$branch")
branch=

# stuck DIRECTORY: names what keeps it.
stuck() {
  kept=$(unremovable "$1")
  [ -z "$kept" ] || field path "$(pwd -P)/${kept#./}"
  say erase-failed
}

enter
if exists "$quarantine"; then erase "$quarantine" || stuck "$quarantine"; fi
if [ "$mode" = attempt ] && exists "$work"; then
  ! proven "$work" || claim "$work"
  erase "$work" || stuck "$work"
fi
if exists "./$name"; then
  proven "./$name" || say foreign
  claim "./$name"
  # Its output is the script's own answer when the source is not as recorded.
  if [ "$mode" != attempt ]; then answer=$(cd "./$name" && as_recorded) && [ -z "$answer" ] || say "$answer"; fi
  if [ "$drop" = drop ] && leads "./$name"; then
    repository=${own_git%/.git/worktrees/*}
    branch=$(cd "./$name" && tame && g symbolic-ref -q --short HEAD)
  fi
  settle "./$name" "$quarantine" || say erase-failed
  erase "$quarantine" || stuck "$quarantine"
  [ -z "$branch" ] || drop_branch
fi
cd -P -- "$root" && rmdir -- "./$folder"
flush_storage .
say gone
