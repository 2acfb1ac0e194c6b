# shellcheck shell=sh
# wanted NAME: the units of the name that are to run; a star in it stands for a version. One that is masked is not, and neither
# is one that somebody stopped and disabled, where others of the name are left.
wanted() {
  listed=$(systemctl list-unit-files --no-legend --no-pager --type=service "$1" | awk '$2 !~ /^masked/ { print $1 }')
  # shellcheck disable=SC2086 # Several words.
  set -- $listed
  # Of one alone nothing can be left out.
  [ $# -gt 1 ] || { echo "$listed"; return; }
  kept=
  for each; do
    if systemctl -q is-active "$each" || systemctl -q is-enabled "$each" || systemctl -q is-failed "$each"; then
      kept="$kept $each"
    fi
  done
  echo "${kept:-$listed}"
}
