# settle copied checkout
# Arguments: after those of checkout.sh, the branch, the application directory or nothing, the checkout that it was copied from, the
# domain of that and its own, or nothing.
branch=$1 directory=$2 source=$3 old=$4 new=$5
command -v git >/dev/null || say git-missing
enter
proven "./$name" || say foreign
claim "./$name"
here=$root/$folder/$name
cd "./$name" || say foreign
tame
recover || blame failed "$problem" "$receipts"
# Of a Git that worked in the source meanwhile, or that a power cut ended.
find .git -type f -name '*.lock' -exec rm -f -- {} +
case $branch in -* | HEAD) say branch-invalid ;; esac
git check-ref-format "refs/heads/$branch" || say branch-invalid
read -r _ start <"$receipts/copied" || blame failed '' "$receipts"

problem=$(remote fetch -q --no-recurse-submodules origin '+refs/heads/*:refs/remotes/origin/*' 2>&1) ||
  { field complaint "$(printf '%s' "$problem" | tail -c 2048)"; blame fetch-failed "$problem" "$receipts"; }
has() { g rev-parse -q --verify "$1^{commit}" >/dev/null; }
contains() { g merge-base --is-ancestor "$2" "$1"; }
remote=refs/remotes/origin/$branch
# The later one of two commits in a line; fails where they have parted.
later() { if contains "$1" "$2"; then echo "$1"; elif contains "$2" "$1"; then echo "$2"; else return 1; fi; }
commit=
for ref in "$remote" "refs/heads/$branch"; do
  has "$ref" || continue
  found=$(g rev-parse "$ref")
  if [ -z "$commit" ]; then commit=$found; else commit=$(later "$commit" "$found") || say diverged; fi
done
[ -n "$commit" ] || commit=$start
later "$commit" "$start" >/dev/null || say diverged
! is_lfs_missing "$commit" || say lfs-missing
begin_checking_out "$commit" "$branch"
problem=$(lent checkout -q --no-overwrite-ignore --no-track -B "$branch" "$commit" -- 2>&1) || not_checked_out "$problem"
if has "$remote"; then g branch -q --set-upstream-to="origin/$branch" "$branch" || blame failed '' "$receipts"; fi
# Work on other branches is that of the source, which still has it.
g for-each-ref --format='delete %(refname)' refs/heads | grep -vxF "delete refs/heads/$branch" | g_reading update-ref --stdin || blame failed '' "$receipts"

# Caches name places of the source, and logs are about it. What Git does not have of them goes; folders stay.
below=${directory:+$directory/}
for path in bootstrap/cache storage/framework storage/logs var/cache var/log .phpunit.cache .phpunit.result.cache .next/cache .nuxt \
  .turbo .parcel-cache .cache node_modules/.cache node_modules/.vite node_modules/.vite-temp; do
  [ -e "./$below$path" ] && [ ! -L "./$below$path" ] || continue
  # Unflushed {}: the whole storage is flushed before the answer.
  g ls-files -z --others -- ":(top,literal)$below$path" | xargs -0 -r rm -rf -- || blame failed '' "$receipts"
done
find . -path ./.git -prune -o -type s -exec rm -f -- {} +

lead_links || blame failed '' "$receipts"
rename "$below.env" && rename "$below.env.testing" || blame failed '' "$receipts"

field databases "$(databases)"
flush_storage . || blame failed '' "$receipts"
end_checking_out
field commit "$commit"
say settled
