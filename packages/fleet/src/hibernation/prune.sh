# shellcheck shell=bash
# Removes what a lock file brings back, at once and for Git unseen.
trash=$(git rev-parse --absolute-git-dir)/fleet-pruned
prune() {
  local folder=$1 lock
  shift
  [ -d "$folder" ] && [ ! -L "$folder" ] || return 0
  for lock; do
    [ -f "$lock" ] || continue
    # What is committed, or could be, is nobody's to remove.
    git check-ignore -q -- "$folder" || return 0
    [ -z "$(git ls-files -- "$folder" | head -n 1)" ] || return 0
    mkdir -p -- "$trash"
    mv -- "$folder" "$trash/$folder"
    break
  done
}
rm -rf -- "$trash"
prune vendor composer.lock
prune node_modules package-lock.json npm-shrinkwrap.json pnpm-lock.yaml bun.lock
rm -rf -- "$trash"
