# Facts about the work in a checkout, asked inside it after `tame`.
# The file $1 is the fleet's own, and so is what a power cut left of it beside it, $candidates: where it is tracked, every synchronization would make the source dirty for good.
# The testing file beside it is too, unless the Project has one in Git.
# Git only warns about a directory that it cannot look into, and its other warnings say nothing about work.
cleanliness() {
  state=$(porcelain "$1" 2>&1) || { echo unreadable; return; }
  case $state in *'warning: could not open directory'*) echo unreadable; return ;; esac
  case $state in *'warning: '* | *'hint: '*) state=$(printf '%s\n' "$state" | grep -v -e '^warning: ' -e '^hint: ') ;; esac
  if [ -n "$state" ] || hidden "$1"; then echo dirty
  elif [ ! -f .git ] && g rev-parse -q --verify refs/stash >/dev/null; then echo stashed
  else echo clean; fi
}

# is_committed FILE: true where another commit may be checked out; sets $found to what is in its way. A stash stays, and may be that
# of another worktree.
is_committed() {
  found=$(cleanliness "$1")
  [ "$found" = clean ] || [ "$found" = stashed ]
}

# loss FILE: the cleanliness of what is to be deleted, FILE being the fleet's own. It counts files too that Git was told not to look at.
loss() {
  found=$(cleanliness "$1")
  # The names are quoted, so each has a line.
  if [ "$found" = clean ] && g ls-files -v | LC_ALL=C grep -q '^[Sa-z]'; then found=$(overlooked "$1"); fi
  printf '%s\n' "$found"
}

# The marks `skip-worktree` and `assume-unchanged` are taken away in a copy of the index. Files that are not here, as in a sparse checkout,
# hold nothing. The copy has the time of the index, by which Git knows what may have changed since without a trace.
overlooked() (
  index=$GIT_DIR/$receipt/index.$preparation
  # Unflushed "$index", "$index.lock": the next look removes what comes back.
  rm -f -- "$index" "$index.lock"
  cp -p -- "$GIT_DIR/index" "$index" && export GIT_INDEX_FILE="$index" &&
    remark --no-assume-unchanged && remark --no-skip-worktree || { echo unreadable; exit; }
  # Its status says that a file has changed, which the next question asks.
  g -c core.ignoreStat=false update-index -q --refresh >/dev/null
  found=clean
  changed=$(besides "$1" diff-files --name-only --diff-filter=d --ignore-submodules=none --) ||
    found=unreadable
  [ -z "$changed" ] || found=dirty
  rm -f -- "$index" "$index.lock"
  echo "$found"
)
remark() { g ls-files -z | g_reading -c core.ignoreStat=false update-index -z "$1" --stdin; }
