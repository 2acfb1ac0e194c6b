# switch branch
# Arguments: after those of checkout.sh, the branch that is checked out, the next one, `drop` for a branch that goes afterwards
# or nothing, the path of its `.env`, the patterns of its candidates.
from=$1 to=$2 drop=$3 own=$4 candidates=$5
command -v git >/dev/null || say git-missing
enter
require_proven "./$name"
claim "./$name"
cd "./$name" || say foreign
tame
for branch in "$from" "$to"; do
  case $branch in -* | HEAD) say branch ;; esac
  git check-ref-format "refs/heads/$branch" || say branch
done
recover || blame failed "$problem" "$receipts"
on() { [ "$(g symbolic-ref -q HEAD)" = "refs/heads/$1" ]; }
has() { g rev-parse -q --verify "$1^{commit}" >/dev/null; }
if ! on "$to"; then
  on "$from" || say branch
  is_committed "$own" || say dirty
  # Without force: Git refuses to overwrite what is nobody's commit.
  check_out() { problem=$(lent checkout -q --no-overwrite-ignore "$@" -- 2>&1); }
  if has "refs/heads/$to"; then
    ! is_lfs_missing "refs/heads/$to" || say lfs-missing
    begin_checking_out "refs/heads/$to" "$to"
    check_out "$to" || not_checked_out "$problem"
  else
    problem=$(remote fetch -q --no-tags --no-recurse-submodules origin "+refs/heads/$to:refs/remotes/origin/$to" 2>&1) || case $problem in
      *"couldn't find remote ref"*) say branch-missing ;;
      *) field complaint "$(printf '%s' "$problem" | tail -c 2048)"; blame fetch-failed "$problem" "$receipts" ;;
    esac
    ! is_lfs_missing "refs/remotes/origin/$to" || say lfs-missing
    begin_checking_out "refs/remotes/origin/$to" "$to"
    # A checkout that follows one branch of its origin alone takes no other one as its upstream.
    check_out --track -b "$to" "refs/remotes/origin/$to" || case $problem in
      *'tracking information'* | *'not tracking'*) check_out --no-track -b "$to" "refs/remotes/origin/$to" ;;
      *) false ;;
    esac || not_checked_out "$problem"
  fi
fi
# Only what the origin has too: no commit is lost.
if [ "$drop" = drop ] && has "refs/heads/$from" && g merge-base --is-ancestor "refs/heads/$from" "refs/remotes/origin/$from"; then
  g branch -q -D -- "$from" || say failed
fi
flush_storage . || blame failed '' "$receipts"
end_checking_out
field commit "$(g rev-parse -q --verify HEAD || true)"
say switched
