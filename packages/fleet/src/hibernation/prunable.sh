# shellcheck shell=sh
# What a lock file brings back here. $removed lists what of it was removed, for the wake that installs it again.
git_folder=$(git rev-parse --absolute-git-dir)
removed=$git_folder/fleet-pruned-folders
comes_back() {
  folder=$1
  shift
  if [ ! -d "$folder" ] || [ -L "$folder" ]; then return 0; fi
  for lock; do
    [ -f "$lock" ] || continue
    # What is committed, or could be, is nobody's to remove.
    git check-ignore -q -- "$folder" || return 0
    [ -z "$(git ls-files -- "$folder" | head -n 1)" ] || return 0
    # A repository in it may have commits that nothing brings back.
    [ -z "$(find "$folder" -mindepth 1 -name .git -print -quit)" ] || return 0
    printf '%s\n' "$folder"
    return 0
  done
}
prunable() {
  comes_back vendor composer.lock
  # Yarn has installed it; a lock file of another beside its own is out of date.
  [ -f yarn.lock ] || comes_back node_modules package-lock.json npm-shrinkwrap.json pnpm-lock.yaml bun.lock
}
