# shellcheck shell=sh
# One unit at least must have each name.
broken() {
  field outcome failed
  unit_report "$1"
  exit 0
}
changed=
for pattern; do
  units=$(wanted "$pattern")
  [ -n "$units" ] || broken "$pattern"
  for unit in $units; do
    if systemctl -q is-enabled "$unit" && systemctl -q is-active "$unit"; then continue; fi
    changed=yes
    # One that failed too often would not be started again.
    systemctl -q is-failed "$unit" && systemctl reset-failed "$unit"
    systemctl -q enable "$unit" >/dev/null && systemctl start "$unit" && systemctl -q is-active "$unit" || broken "$unit"
  done
done
[ -z "$changed" ] || sync
field outcome running
