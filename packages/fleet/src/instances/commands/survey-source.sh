# survey source
# Arguments: the directory to adopt, the name of the folder of receipts. Reads only; Git runs no program of the checkout for it.
source=$1 receipt=$2
say() { field answer "$1"; exit 0; }
[ -e "$source" ] || [ -L "$source" ] || say absent
[ -d "$source" ] && [ ! -L "$source" ] || say no-checkout
cd -P -- "$source" || say unreadable
# A link on the way would name another place tomorrow.
[ "$(pwd -P)" = "$source" ] || say linked
[ -O . ] || say foreign
[ ! -f .git ] || say worktree
[ -d .git ] && [ ! -L .git ] || say no-checkout
[ -O .git ] || say foreign
command -v git >/dev/null || say git-missing
GIT_DIR=$source/.git
export GIT_DIR
unset GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_NAMESPACE GIT_COMMON_DIR
mark=.git/$receipt/preparation preparation=
if [ -f "$mark" ] && [ ! -L "$mark" ]; then read -r preparation _ <"$mark"; fi
field origin "$(git config --get remote.origin.url </dev/null)"
field head "$(git symbolic-ref -q HEAD </dev/null)"
field commit "$(git rev-parse -q --verify 'HEAD^{commit}' </dev/null)"
field preparation "$preparation"
say surveyed
