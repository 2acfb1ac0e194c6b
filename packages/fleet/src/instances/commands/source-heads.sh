# What commits of a checkout are in, asked inside it after `tame`.
digest() { git hash-object --stdin; }

own_head() { g symbolic-ref -q HEAD; g rev-parse HEAD; }

# Everything a commit can be lost from: HEAD, local branches, tags, notes and stashes. Those of a linked worktree are its repository's, but for
# references of its own.
heads() {
  { own_head
    if [ -f .git ]; then g for-each-ref --format='%(objectname) %(refname)' refs/worktree
    else
      g for-each-ref --format='%(objectname) %(refname)' refs/heads refs/tags refs/notes refs/stash
      g rev-list -g refs/stash
    fi; } | digest
}

worktrees() { if [ -d .git/worktrees ]; then ls -A .git/worktrees; fi; }

# places: directories of at most ten of them.
places() {
  for link in .git/worktrees/*/gitdir; do
    [ ! -f "$link" ] || head -n 1 <"$link" | sed 's|/\.git$||'
  done | head -n 10
}
