# shellcheck shell=sh
# Removes what a lock file brings back, at once and for Git unseen.
trash=$(git rev-parse --absolute-git-dir)/fleet-pruned
prune() {
  folder=$1
  shift
  if [ ! -d "$folder" ] || [ -L "$folder" ]; then return 0; fi
  for lock; do
    [ -f "$lock" ] || continue
    # What is committed, or could be, is nobody's to remove.
    git check-ignore -q -- "$folder" || return 0
    [ -z "$(git ls-files -- "$folder" | head -n 1)" ] || return 0
    mkdir -p -- "$trash"
    # Unflushed "$folder", "$trash/$folder": what comes back after a power cut is pruned again.
    mv -- "$folder" "$trash/$folder"
    return 0
  done
}
# Unflushed "$trash": the same.
rm -rf -- "$trash"
prune vendor composer.lock
prune node_modules package-lock.json npm-shrinkwrap.json pnpm-lock.yaml bun.lock
rm -rf -- "$trash"
