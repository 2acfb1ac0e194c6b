# shellcheck shell=sh
# $1: root folder; then id, and the paths of script, service and timer, of each Schedule in turn. Fields by position: mode
# and text of each file that has the marker, else `none` or `foreign` in the place of the mode; the states of the timer.
root=$1
shift
file() {
  if [ ! -e "$2" ] && [ ! -L "$2" ]; then field "mode.$1" none
  elif is_ours "fleet.schedule.id=$3" "$2"; then
    field "mode.$1" "$(stat -c '%a %U %G' -- "$2")"
    field_file "text.$1" "$2"
  else field "mode.$1" foreign; fi
}
at=0
while [ $# -gt 0 ]; do
  file "script.$at" "$root$2" "$1"
  file "service.$at" "$root$3" "$1"
  file "timer.$at" "$root$4" "$1"
  field "enabled.$at" "$(systemctl is-enabled "${4##*/}")"
  field "active.$at" "$(systemctl is-active "${4##*/}")"
  at=$((at + 1))
  shift 4
done
field end yes
