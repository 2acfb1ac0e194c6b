# shellcheck shell=sh
# $1: root folder; then id and unit of each Process in turn. Fields by id: whose file it is, its digest, its state, and how
# often it was restarted, twice.
root=$1
shift
counts() {
  while [ $# -gt 0 ]; do
    field "$count.$1" "$(systemctl show --property=NRestarts "$2")"
    shift 2
  done
}
states() {
  while [ $# -gt 0 ]; do
    path=$root/etc/systemd/system/$2
    if [ ! -e "$path" ] && [ ! -L "$path" ]; then file=none
    elif is_ours "fleet.process.id=$1" "$path"; then file=$(digest "$path")
    else file=foreign; fi
    field "file.$1" "$file"
    field "state.$1" "$(systemctl show --property=ActiveState,SubState "$2")"
    shift 2
  done
}
field end yes
count=before
counts "$@"
states "$@"
sleep 1
count=after
counts "$@"
