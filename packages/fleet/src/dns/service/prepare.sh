# shellcheck shell=sh
# Debian's own service takes port 53 of every address, or fails where it cannot; one that nobody configured came with the package.
if systemctl is-enabled --quiet dnsmasq.service && [ -z "$(find "$root/etc/dnsmasq.d" -type f ! -name README)" ] &&
  ! grep -Eqsv '^[[:space:]]*(#|$)' "$root/etc/dnsmasq.conf"; then
  systemctl disable --now dnsmasq.service
  systemctl reset-failed dnsmasq.service
fi
if [ "$2" = same ]; then return 0; fi
# A new process confirms the catalog anew; one that could not be loaded before says nothing about it.
catalog=$root$1
# Unflushed "$catalog.expected", "$catalog.loaded": a restart of the machine starts the listener, which confirms anew.
if [ -f "$catalog.loaded" ] && [ "$(cat "$catalog.loaded")" = "$(digest "$catalog")" ]; then : >"$catalog.expected"
else rm -f -- "$catalog.expected"; fi
rm -f -- "$catalog.loaded"
