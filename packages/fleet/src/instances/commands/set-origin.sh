# set origin
# Arguments: after those of checkout.sh, the URL that `origin` has, the one that it gets.
from=$1 to=$2
command -v git >/dev/null || say git-missing
enter
require_proven "./$name"
claim "./$name"
cd "./$name" || say foreign
tame
current=$(g config --local --get-all remote.origin.url)
[ "$current" = "$to" ] && say set
[ "$current" = "$from" ] || say changed
# A linked worktree has the origin of its repository, which follows by itself.
[ ! -f .git ] || say set
# Of a Git that a power cut ended, or of one that works now.
exists .git/config.lock && say locked
g config --local --replace-all remote.origin.url "$to" || blame failed '' "$receipts"
flush .git/config && flush .git || say failed
say set
