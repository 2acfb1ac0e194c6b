# shellcheck shell=sh
# Which of the units do not run, the first of them with its state and its last lines, and which run and do not start at boot.
reported=
inactive=
disabled=
for pattern; do
  found=
  boots=yes
  for unit in $(wanted "$pattern"); do
    found=${found:-yes}
    if systemctl -q is-active "$unit"; then
      systemctl -q is-enabled "$unit" || boots=no
      continue
    fi
    found=no
    [ -n "$reported" ] || unit_report "$unit"
    reported=$unit
  done
  [ "$found" = yes ] || inactive="$inactive$pattern
"
  [ "$boots" = yes ] || disabled="$disabled$pattern
"
done
field inactive "$inactive"
field disabled "$disabled"
field end yes
