# shellcheck shell=sh
# $1: the Unix user; $2: whether files changed. The tuning is written once; a publication that begins leaves its receipt.
place=$root/etc/fleet/php-fpm/$1
if [ ! -e "$place/local.conf" ] && [ ! -L "$place/local.conf" ]; then
  put 644 "$place/local.conf" <<'TUNING' || return 1
; Tunes the default PHP pool of this Instance. Fleet never rewrites this file.
; The next deployment or `fleet node:converge` applies a change. Examples:
; pm.max_children = 40
; php_admin_value[memory_limit] = 512M
TUNING
fi
date -u +%Y-%m-%dT%H:%M:%SZ | put 644 "$place/generated/pending"
