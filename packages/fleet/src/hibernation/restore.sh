# shellcheck shell=sh
# Installs what the lock files say, where it was removed and is missing, or where an installation was cut off.
restoring=$git_folder/fleet-restoring-folders
# is_listed FILE FOLDER
is_listed() { [ -f "$1" ] && grep -qx -- "$2" "$1"; }
# is_gone FOLDER: an earlier release removed it without a list.
is_gone() { [ ! -d "$1" ] && { [ ! -f "$removed" ] || is_listed "$removed" "$1"; }; }
gone=
for folder in vendor node_modules; do
  if is_listed "$restoring" "$folder" || is_gone "$folder"; then gone="$gone$folder "; fi
done
# shellcheck disable=SC2086 # A line for each of them.
printf '%s\n' $gone >"$restoring.new"
sync "$restoring.new"
mv -- "$restoring.new" "$restoring"
sync "$git_folder"
if [ -f composer.lock ] && is_listed "$restoring" vendor; then
  composer install --no-interaction --no-ansi --no-progress
fi
if is_listed "$restoring" node_modules; then
  for lock in pnpm-lock.yaml bun.lock npm-shrinkwrap.json package-lock.json; do
    [ -f "$lock" ] || continue
    if command -v vp >/dev/null; then vp install --frozen-lockfile; break; fi
    case $lock in
      pnpm-lock.yaml) pnpm install --frozen-lockfile ;;
      bun.lock) bun install --frozen-lockfile ;;
      *) npm ci ;;
    esac
    break
  done
fi
rm -f -- "$restoring"
sync "$git_folder"
