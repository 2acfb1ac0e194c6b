# shellcheck shell=sh
directory=$1 link=$2
service_state
[ "$directory" = - ] || executable_state
reported_unit=
report_inactive() {
  if [ -n "$reported_unit" ] || systemctl -q is-active "$1"; then return 0; fi
  reported_unit=$1
  unit_report "$1"
}
each watched report_inactive
field end yes
