# resolve worktree
# Arguments: after those of checkout.sh, the branch, the commit that a new one begins with, the line to exclude.
branch=$1 start=$2 exclude=$3
command -v git >/dev/null || say git-missing
enter
proven "./$name" || say foreign
claim "./$name"
cd "./$name" && leads . || say foreign
locate .
tame
case $branch in -* | HEAD) say branch-invalid ;; esac
git check-ref-format "refs/heads/$branch" || say branch-invalid
# Of a Git of an earlier attempt that was ended; nobody else has this branch.
# Unflushed {}, "$shared_git/refs/heads/$branch.lock": the whole storage is flushed before the answer.
find "$own_git" -type f -name '*.lock' -exec rm -f -- {} +
[ "$(g symbolic-ref -q HEAD)" = "refs/heads/$branch" ] || is_free || blame checkout-failed '' "$receipts"
rm -f -- "$shared_git/refs/heads/$branch.lock"
[ ! -L "$shared_git/info" ] && mkdir -p "$shared_git/info" && [ ! -L "$shared_git/info/exclude" ] && ignore || blame checkout-failed '' "$receipts"

fetch() { problem=$(remote fetch -q --no-tags --no-recurse-submodules --no-write-fetch-head origin "+refs/heads/$branch:refs/remotes/origin/$branch" 2>&1); }
from=refs/remotes/origin/$branch
# Another worktree may write the same reference just now.
fetch || { case $problem in *'cannot lock ref'*) sleep 1; fetch ;; *) false ;; esac } || case $problem in
  *"couldn't find remote ref"*)
    from=$start
    ! g rev-parse -q --verify "refs/heads/$branch" >/dev/null || from=refs/heads/$branch ;;
  *) field complaint "$(printf '%s' "$problem" | tail -c 2048)"; blame fetch-failed "$problem" "$receipts" ;;
esac
# The origin has the branch anew: nothing else may have its commits, which somebody left here when the origin had them.
! g rev-parse -q --verify "refs/heads/$branch" >/dev/null || g merge-base --is-ancestor "refs/heads/$branch" "$from" || from=refs/heads/$branch
problem=$(lent checkout -q -f --no-track -B "$branch" "$from" -- 2>&1 && g clean -q -ffdx 2>&1) || {
  case $problem in *'filter lfs failed'* | *"filter 'git-lfs"*) blame lfs-failed "$problem" "$receipts" ;; esac
  blame checkout-failed "$problem" "$receipts"
}
[ "$from" != "refs/remotes/origin/$branch" ] || g branch -q --set-upstream-to="origin/$branch" "$branch" || blame checkout-failed '' "$receipts"
checked_out now
