# discard checkout
# Arguments: after those of checkout.sh, the name part of the quarantine, the mode, the path of its `.env`, the pattern of its candidates.
removal=$1 mode=$2 own=$3 candidates=$4
quarantine=./.fleet-removal-$removal work=./.fleet-preparation-$preparation

as_recorded() {
  read -r recorded heads_then worktrees_then <"$receipts/removal" && [ "$recorded" = "$removal" ] || { echo unrecorded; exit; }
  tame
  [ "$(worktrees | digest)" = "$worktrees_then" ] || { echo worktrees-changed; exit; }
  [ "$mode" = force ] && return
  [ "$(heads)" = "$heads_then" ] && [ "$(cleanliness "$own")" = clean ] || { echo changed; exit; }
}

enter
if exists "$quarantine"; then erase "$quarantine" || say erase-failed; fi
if [ "$mode" = attempt ] && exists "$work"; then erase "$work" || say erase-failed; fi
if exists "./$name"; then
  proven "./$name" || say foreign
  claim "./$name"
  # Its output is the script's own answer when the source is not as recorded.
  if [ "$mode" != attempt ]; then answer=$(cd "./$name" && as_recorded) && [ -z "$answer" ] || say "$answer"; fi
  settle "./$name" "$quarantine" || say erase-failed
  erase "$quarantine" || say erase-failed
fi
cd -P -- "$root" && rmdir -- "./$folder"
flush_storage .
say gone
