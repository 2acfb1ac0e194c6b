# update checkout
# Arguments: after those of checkout.sh, the origin's URL, the branch, the path of its `.env`, the patterns of its candidates.
url=$1 branch=$2 own=$3 candidates=$4
command -v git >/dev/null || say git-missing
enter
require_proven "./$name"
claim "./$name"
cd "./$name" || say foreign
tame
recover || blame failed "$problem" "$receipts"
case $url in -*) field complaint ''; say fetch-failed ;; esac
if ! is_committed "$own"; then
  field cleanliness "$found"
  names=$(porcelain "$own" -z --no-renames 2>/dev/null | tr '\n\0' '?\n' | cut -c 4-)
  # Some are named: there may be thousands.
  field files "$(printf '%s\n' "$names" | head -n 5 | cut -c -250)"
  field count "$(printf '%s\n' "$names" | grep -c .)"
  say dirty
fi
head=$(g symbolic-ref -q HEAD)
[ "$head" = "refs/heads/$branch" ] || { field head "$head"; say branch; }
problem=$(remote fetch -q --prune --no-tags --no-recurse-submodules origin 2>&1) || {
  field complaint "$(printf '%s' "$problem" | tail -c 2048)"
  blame fetch-failed "$problem" "$receipts"
}
tip=$(g rev-parse -q --verify "refs/remotes/origin/$branch^{commit}") || say branch-missing
g merge-base --is-ancestor HEAD "$tip" || say diverged
if [ "$(g rev-parse -q --verify HEAD)" != "$tip" ]; then
  ! is_lfs_missing "$tip" || say lfs-missing
  begin_checking_out "$tip" "$branch"
  problem=$(lent merge -q --ff-only --no-overwrite-ignore "$tip" 2>&1) || not_checked_out "$problem"
fi
flush_storage . || blame failed '' "$receipts"
end_checking_out
field commit "$tip"
say updated
