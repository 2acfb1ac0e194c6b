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
[ ! -L .git ] && { [ -d .git ] || [ -f .git ]; } || say no-checkout
[ -O .git ] || say foreign
command -v git >/dev/null || say git-missing

# first FILE: its line.
first() { [ -f "$1" ] && [ ! -L "$1" ] && head -n 1 -- "$1"; }
# receipt_in FOLDER: whose checkout it is.
receipt_in() { first "$1/$receipt/preparation" | cut -d ' ' -f 1; }
# named_in FOLDER: the worktree that the folder in its repository is of, as a path, where it still leads back.
named_in() {
  back=$(first "$1/gitdir") && [ -n "$back" ] || return 1
  back=$(cd -P -- "$1" && cd -P -- "${back%/.git}" && pwd -P) && [ -f "$back/.git" ] && [ ! -L "$back/.git" ] || return 1
  led=$(first "$back/.git")
  [ "$(cd -P -- "$back" && cd -P -- "${led#gitdir: }" && pwd -P)" = "$1" ] && printf '%s\n' "$back"
}

GIT_DIR=$source/.git main=
if [ -f .git ]; then
  link=$(first .git)
  # That of a submodule leads elsewhere.
  GIT_DIR=$(cd -P -- "${link#gitdir: }" && pwd -P) && [ "$(named_in "$GIT_DIR")" = "$source" ] || say worktree
  [ "$(first "$GIT_DIR/commondir")" = ../.. ] || say worktree
  main=${GIT_DIR%/.git/worktrees/*}
  [ "$GIT_DIR" = "$main/.git/worktrees/${GIT_DIR##*/}" ] && [ -d "$main/.git" ] && [ ! -L "$main/.git" ] || say worktree
  field main "$main"
  field main.preparation "$(receipt_in "$main/.git")"
fi
export GIT_DIR
unset GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_NAMESPACE GIT_COMMON_DIR
field origin "$(git config --get remote.origin.url </dev/null)"
field head "$(git symbolic-ref -q HEAD </dev/null)"
field commit "$(git rev-parse -q --verify 'HEAD^{commit}' </dev/null)"
field preparation "$(receipt_in "$GIT_DIR")"
# Submodules of a linked worktree and its repository know each other by the way between them.
submodules=no
if [ -n "$main" ] && [ -d "$GIT_DIR/modules" ]; then submodules=yes; fi
at=0
for entry in "$source"/.git/worktrees/*; do
  place=$(named_in "$entry") || continue
  field "worktree.$at" "$place"
  at=$((at + 1))
  if [ -d "$entry/modules" ]; then submodules=yes; fi
done
field submodules "$submodules"
# Its name is in the folder above, which a rename changes.
if [ -w "${source%/*}/" ]; then field movable yes; else field movable no; fi
say surveyed
