# act on the unit of a Process
# Arguments: root folder, marker and unit of the Process, what to do, whether it starts at boot. Answers its status.
root=$1 mark=$2 unit=$3 action=$4 boot=$5
command -v systemctl >/dev/null || refuse no-systemd
path=$root/etc/systemd/system/$unit
[ -e "$path" ] || [ -L "$path" ] || refuse missing
is_ours "$mark" "$path" || refuse foreign
# A connection that breaks leaves nothing half done.
trap '' HUP PIPE
case $action in
  stop)
    systemctl disable "$unit"
    systemctl stop "$unit" || refuse failed ;;
  start | restart)
    if [ "$boot" = yes ]; then systemctl enable "$unit" || refuse failed; fi
    # One that failed too often would not be started again.
    systemctl reset-failed "$unit"
    # A command that does not run shows in the status.
    systemctl "$action" "$unit" ;;
esac
status=$(systemctl show --property=ActiveState "$unit")
[ -n "${status#ActiveState=}" ] || refuse failed
field status "${status#ActiveState=}"
