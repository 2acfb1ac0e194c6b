# shellcheck shell=sh
# Which of the units do not run, the first of them with its state and its last lines, and which run and do not start at boot.
# One that reloads for five seconds has a reload without an end, and takes no other (decision 0370).
runs() {
  for pause in 1 2 2 0; do
    case $(systemctl is-active "$1") in
      active) return 0 ;;
      reloading) sleep "$pause" ;;
      *) return 1 ;;
    esac
  done
  return 1
}
reported=
inactive=
disabled=
for pattern; do
  found=
  boots=yes
  for unit in $(wanted "$pattern"); do
    found=${found:-yes}
    if runs "$unit"; then
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
