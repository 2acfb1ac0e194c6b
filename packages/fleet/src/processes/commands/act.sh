# act on the unit of a Process
# Arguments: root folder, marker and unit of the Process, what to do, whether it starts at boot, and the digest that its file has to have
# or an empty text. Answers its status; `differs` when nothing was done, because the file is another one.
root=$1 mark=$2 unit=$3 action=$4 boot=$5 wanted=$6
command -v systemctl >/dev/null || refuse no-systemd
path=$root/etc/systemd/system/$unit
as_installed() { [ "$(sound 644 "$path")" = "$wanted" ] && is_ours "$mark" "$path" && [ ! -e "$path.fleet-before" ]; }
if [ -n "$wanted" ] && ! as_installed; then
  field status differs
  exit 0
fi
[ -e "$path" ] || [ -L "$path" ] || refuse missing
is_ours "$mark" "$path" || refuse foreign
# A connection that breaks leaves nothing half done.
trap '' HUP PIPE
case $action in
  stop)
    # Links for the next boot, which reads them itself: to read all units again takes longer than a start.
    systemctl --no-reload disable "$unit"
    systemctl stop "$unit" || refuse failed ;;
  start | restart)
    if [ "$boot" = yes ]; then systemctl --no-reload enable "$unit" || refuse failed; fi
    # One that failed too often would not be started again.
    systemctl reset-failed "$unit"
    # A command that does not run shows in the status.
    systemctl "$action" "$unit" ;;
esac
status=$(systemctl show --property=ActiveState "$unit")
[ -n "${status#ActiveState=}" ] || refuse failed
field status "${status#ActiveState=}"
