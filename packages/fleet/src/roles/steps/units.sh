# start services
changed=
for pattern; do
  units=$(systemctl list-unit-files --no-legend --no-pager --type=service "$pattern" | awk '{ print $1 }')
  [ -n "$units" ] || exit 1
  for unit in $units; do
    if systemctl -q is-enabled "$unit" && systemctl -q is-active "$unit"; then continue; fi
    changed=yes
    # One that failed too often would not be started again.
    systemctl -q is-failed "$unit" && systemctl reset-failed "$unit"
    systemctl -q enable "$unit" >/dev/null && systemctl start "$unit" || exit 1
    systemctl -q is-active "$unit" || exit 1
  done
done
[ -z "$changed" ] || sync
echo running
