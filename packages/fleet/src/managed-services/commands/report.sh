# shellcheck shell=sh
# unit_report UNIT: its name, state and last lines; the reader masks them.
unit_report() {
  field unit "$1"
  field state "$(systemctl show --property=ActiveState,SubState,Result,ExecMainStatus "$1" | tr '\n' ' ')"
  field journal "$(journalctl --unit="$1" --lines=12 --output=cat --no-pager --quiet | tail -c 4096)"
}
