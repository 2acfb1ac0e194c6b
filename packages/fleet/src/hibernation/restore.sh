# shellcheck shell=sh
# Installs what the lock files say, where it was removed and is missing.
# is_gone FOLDER: an earlier release removed it without a list.
is_gone() { [ ! -d "$1" ] && { [ ! -f "$removed" ] || grep -qx -- "$1" "$removed"; }; }
if [ -f composer.lock ] && is_gone vendor; then
  composer install --no-interaction --no-ansi --no-progress
fi
if is_gone node_modules; then
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
