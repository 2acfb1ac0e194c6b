# shellcheck shell=sh
# $1: versions. Each is tested with all of its pools, those of others too, and with the candidates of Fleet's files.
try_version() {
  place=$root/etc/php/$1/fpm
  module=$root/etc/php/$1/mods-available/fleet-runtime.ini
  own=$place/pool.d/fleet-scopes.conf
  grep -v '^[[:space:]]*include[[:space:]]*=' "$place/php-fpm.conf" >"$trial/php-fpm.conf" || return 1
  for file in "$place"/pool.d/*.conf; do
    if [ "$file" != "$own" ] && [ -f "$file" ]; then printf 'include=%s\n' "$file" >>"$trial/php-fpm.conf"; fi
  done
  for file in "$own" "$module"; do
    if [ -f "$file.fleet-new" ]; then file=$file.fleet-new; fi
    case $file in
      "$own"*) printf 'include=%s\n' "$file" >>"$trial/php-fpm.conf" ;;
      *) cp -- "$file" "$trial/zz-fleet.ini" || return 1 ;;
    esac
  done
  said=$(PHP_INI_SCAN_DIR="$place/conf.d:$trial" timeout 60 "php-fpm$1" -t --fpm-config "$trial/php-fpm.conf" 2>&1 </dev/null)
}
trial=$(mktemp -d) || return 1
outcome=0
for version in ${1#-}; do
  if try_version "$version"; then continue; fi
  field stage test
  field message "$(printf '%s\n' "$said" | grep -v 'NOTICE' | sed 's/^\[[^]]*\] //' | tail -c 2000)"
  outcome=1
  break
done
# Unflushed "$trial": a temporary folder that nobody needs after a power cut.
rm -rf -- "$trial"
return "$outcome"
