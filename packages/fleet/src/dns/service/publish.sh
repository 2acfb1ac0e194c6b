# shellcheck shell=sh
wanted=$1
fresh=$catalog.fleet-new
earlier=$catalog.earlier
[ -f "$root/etc/systemd/system/fleet-private-dns.service" ] || refuse not_installed
exec 9>"$directory/.lock" && flock -w "$2" 9 || refuse busy
if [ "$(sound 644 "$catalog")" = "$wanted" ] && confirmed "$wanted" && runs; then
  field published unchanged
  exit
fi

# One that failed too often would not be started again.
# shellcheck disable=SC2086
if ! runs; then
  systemctl reset-failed $names
  systemctl start $names && runs || refuse start_failed
fi

# Unflushed "$fresh", "$earlier": only this script reads them, and it removes them first.
# Unflushed "$catalog.loaded": the listener writes it at every start.
rm -f -- "$fresh"
(set -C && cat >"$fresh") && [ "$(digest "$fresh")" = "$wanted" ] && chmod 644 "$fresh" && flush "$fresh" ||
  { remove "$fresh"; refuse write_failed; }
# A second name for what is there: it comes back even when the disk is full.
rm -f -- "$earlier"
if [ -e "$catalog" ]; then ln -- "$catalog" "$earlier" || { remove "$fresh"; refuse write_failed; }; fi
move "$fresh" "$catalog" || refuse write_failed

if ! within 5 confirmed "$wanted"; then
  rm -f -- "$catalog.loaded"
  systemctl restart fleet-private-dns.service
  if ! within 5 confirmed "$wanted"; then
    if [ -e "$earlier" ]; then move "$earlier" "$catalog"; else remove "$catalog"; fi
    refuse unconfirmed
  fi
fi
rm -f -- "$earlier"
field published changed
