# examine copied checkout
# Arguments: after those of checkout.sh, the branch that it is recorded on, the path of its `.env`, the patterns of its candidates.
# Changes nothing but what an update that was cut off has left.
branch=$1 own=$2 candidates=$3
command -v git >/dev/null || say git-missing
enter
exists "./$name" || say absent
proven "./$name" || say foreign
claim "./$name"
cd "./$name" || say foreign
for entry in .git/commondir .git/objects/info/alternates; do exists "$entry" && say layout; done
# Linked worktrees stay those of the source; one inside of it would come along.
for entry in .git/worktrees/*/gitdir; do
  [ -f "$entry" ] && IFS= read -r place <"$entry" || continue
  case $place in "$(pwd -P)"/*) say layout ;; esac
done
tame
recover
# A setting that leads Git of the copy back to this checkout.
[ -z "$(g config --get core.worktree)" ] || say layout
[ "$(g symbolic-ref -q HEAD)" = "refs/heads/$branch" ] && g rev-parse -q --verify 'HEAD^{commit}' >/dev/null || say branch
found=$(cleanliness "$own")
field cleanliness "$found"
[ "$found" = clean ] || say dirty
field origin "$(g config --get remote.origin.url)"
field heads "$(heads)"
say copyable
