# Whether a linked worktree may have branch $branch in the repository of a checkout, asked inside after `tame`: nobody has it checked
# out, and nothing that only it has would be lost.
is_free() {
  g worktree list --porcelain | grep -qxF -- "branch refs/heads/$branch" && return 1
  g rev-parse -q --verify "refs/heads/$branch" >/dev/null || return 0
  is_contained
}
# Whether a branch of the origin has all commits of the local one.
is_contained() { [ -n "$(g for-each-ref --count=1 --contains "refs/heads/$branch" refs/remotes/origin)" ]; }
