# shellcheck shell=sh
# $1: root folder; $2: folder of awake markers; $3: folder of values of connections; then id, unit and Instance of each Process
# in turn. Fields by id: whose file it is, its digest, that of its values, its state, whether it starts at boot, whether its
# Instance is awake, and how often it was restarted, twice.
root=$1 markers=$1$2 values=$1$3
shift 3
# One program for all units: it reads their links, where a property of a unit may be from before the last change.
listed=$(systemctl list-unit-files --no-legend --no-pager 'orbit-process-*') || listed=
enabled=$(printf '%s' "$listed" | awk '$2 == "enabled" { printf "%s ", $1 }')
counts() {
  while [ $# -gt 0 ]; do
    field "$count.$1" "$(systemctl show --property=NRestarts "$2")"
    shift 3
  done
}
states() {
  while [ $# -gt 0 ]; do
    path=$root/etc/systemd/system/$2
    if [ ! -e "$path" ] && [ ! -L "$path" ]; then file=none
    elif is_ours "fleet.process.id=$1" "$path"; then file=$(digest "$path")
    else file=foreign; fi
    field "file.$1" "$file"
    if [ -f "$values/$1.env" ]; then field "values.$1" "$(digest "$values/$1.env")"; else field "values.$1" ''; fi
    if [ -f "$markers/$3.awake" ]; then awake=yes; else awake=no; fi
    field "awake.$1" "$awake"
    boots=unknown
    case " $enabled" in *" $2 "*) boots=yes ;; *) [ -z "$listed" ] || boots=no ;; esac
    field "boots.$1" "$boots"
    field "state.$1" "$(systemctl show --property=ActiveState,SubState "$2")"
    shift 3
  done
}
field end yes
count=before
counts "$@"
states "$@"
sleep 1
count=after
counts "$@"
