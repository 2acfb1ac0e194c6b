# shellcheck shell=sh
# Which of the units do not run; the first of them with its state and its last lines.
reported=
inactive=
for pattern; do
  found=
  for unit in $(systemctl list-unit-files --no-legend --no-pager --type=service "$pattern" | awk '{ print $1 }'); do
    found=${found:-yes}
    if systemctl -q is-active "$unit"; then continue; fi
    found=no
    [ -n "$reported" ] || unit_report "$unit"
    reported=$unit
  done
  [ "$found" = yes ] || inactive="$inactive$pattern
"
done
field inactive "$inactive"
field end yes
