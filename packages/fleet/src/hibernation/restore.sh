# shellcheck shell=sh
# Installs what the lock files say, where it is missing.
if [ -f composer.lock ] && [ ! -d vendor ]; then
  composer install --no-interaction --no-ansi --no-progress
fi
if [ ! -d node_modules ]; then
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
