# examine transfer
# Arguments: those of checkout.sh. What cannot travel alone is refused: worktrees elsewhere, and objects of another repository.
enter
require_proven "./$name"
claim "./$name"
if [ -d "./$name/.git" ]; then field detached yes; else field detached no; fi
# The old checkout could not be deleted once it has moved.
kept=$(unremovable "./$name")
[ -z "$kept" ] || { field path "$(pwd -P)/${kept#./}"; say kept; }
# The archive of it would break off, after everything else was stopped and sent.
hidden=$(unreadable "./$name")
[ -z "$hidden" ] || { field path "$(pwd -P)/${hidden#./}"; say unreadable; }
# A linked worktree with submodules, or whose references are in tables, is not taken apart.
if [ ! -d "./$name/.git" ]; then
  locate "./$name"
  ! exists "$own_git/modules" && ! exists "$shared_git/reftable" || say inseparable
fi
for entry in "./$name/.git/worktrees/"*; do exists "$entry" && say has-worktrees; done
cd "./$name" && locate . || say foreign
exists "$shared_git/objects/info/alternates" && say has-alternates
say movable
