# resolve source
# Arguments: after those of checkout.sh, the origin's URL, the branch, the default branch, the line to exclude.
url=$1 branch=$2 default=$3 exclude=$4
command -v git >/dev/null || say git-missing
enter
proven "./$name" || say foreign
claim "./$name"
cd "./$name" || say foreign
tame
find .git -type f -name '*.lock' -exec rm -f -- {} +

case $branch in -* | HEAD) say branch-invalid ;; esac
git check-ref-format "refs/heads/$branch" || say branch-invalid
case $url in -*) field complaint ''; say fetch-failed ;; esac
g config --replace-all remote.origin.url "$url" &&
  g config --replace-all remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*' || blame checkout-failed '' "$receipts"
# A link in their place would lead the writing out of the checkout.
[ ! -L .git/info ] || rm -f -- .git/info
mkdir -p .git/info && rm -f -- .git/info/exclude && (set -C && printf '%s\n' "$exclude" >.git/info/exclude) || blame checkout-failed '' "$receipts"
problem=$(g fetch -q --force --prune --tags --no-recurse-submodules origin 2>&1) ||
  { field complaint "$(printf '%s' "$problem" | tail -c 2048)"; blame fetch-failed "$problem" "$receipts"; }

has() { g rev-parse -q --verify "$1^{commit}" >/dev/null; }
if has "refs/remotes/origin/$branch"; then from=refs/remotes/origin/$branch
elif has "refs/heads/$branch"; then from=refs/heads/$branch
elif has "refs/remotes/origin/$default"; then from=refs/remotes/origin/$default
else say branch-missing; fi

if [ "$from" = "refs/remotes/origin/$branch" ]; then follow=--track; else follow=--no-track; fi
problem=$(g checkout -q -f "$follow" -B "$branch" "$from" -- 2>&1 && g clean -q -ffdx 2>&1) ||
  blame checkout-failed "$problem" "$receipts"
commit=$(g rev-parse --verify HEAD) || say checkout-failed
flush_storage . || say checkout-failed
field commit "$commit"
say resolved
