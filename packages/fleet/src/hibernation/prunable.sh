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
# of_one FILE…: whether at most one of the files is there.
of_one() {
  there=
  for lock; do
    [ -f "$lock" ] || continue
    [ -z "$there" ] || return 1
    there=$lock
  done
}
prunable() {
  comes_back vendor composer.lock
  of_npm=package-lock.json
  [ -f "$of_npm" ] || of_npm=npm-shrinkwrap.json
  of_bun=bun.lock
  [ -f "$of_bun" ] || of_bun=bun.lockb
  # Of several managers one has installed it, and nobody here knows which; what Yarn has installed no other brings back.
  of_one "$of_npm" pnpm-lock.yaml "$of_bun" yarn.lock || return 0
  comes_back node_modules package-lock.json npm-shrinkwrap.json pnpm-lock.yaml bun.lock
}
