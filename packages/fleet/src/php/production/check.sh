# shellcheck shell=sh
# $1: the Unix user and its version. The candidates are tried as the manager will read them.
# shellcheck disable=SC2086 # Two words.
set -- $1
place=$root/etc/fleet/php-fpm/$1/generated
candidate() { if [ -f "$1.fleet-new" ]; then printf '%s' "$1.fleet-new"; else printf '%s' "$1"; fi; }
trial=$(mktemp -d) || return 1
cp -- "$(candidate "$place/master.ini")" "$trial/master.ini"
outcome=0
said=$(PHP_INI_SCAN_DIR="$root/etc/php/$2/fpm/conf.d:$trial" timeout 60 "php-fpm$2" -t --fpm-config "$(candidate "$place/php-fpm.conf")" 2>&1 </dev/null) || {
  field stage test
  field message "$(printf '%s\n' "$said" | grep -v 'NOTICE' | sed 's/^\[[^]]*\] //' | tail -c 2000)"
  outcome=1
}
# Unflushed "$trial": a temporary folder that nobody needs after a power cut.
rm -rf -- "$trial"
return "$outcome"
