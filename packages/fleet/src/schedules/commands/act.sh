# act on the units of a Schedule
# Arguments: root folder, marker, service, timer, what to do. Answers whether the service runs afterwards.
root=$1 mark=$2 service=$3 timer=$4 action=$5
command -v systemctl >/dev/null || refuse no-systemd
path=$root/etc/systemd/system
# A connection that breaks leaves nothing half done.
trap '' HUP PIPE
has() {
  [ -e "$path/$1" ] || [ -L "$path/$1" ] || return 1
  is_ours "$mark" "$path/$1" || refuse foreign
}
case $action in
  run)
    has "$service" || refuse missing
    systemctl start --no-block "$service" || refuse failed ;;
  disable | stop)
    if has "$timer"; then systemctl disable --now "$timer" && flush_links "$path" timers.target || refuse failed; fi
    if [ "$action" = stop ] && has "$service"; then systemctl stop "$service" || refuse failed; fi ;;
esac
case $(systemctl show --property=ActiveState "$service") in
  *=active | *=activating | *=deactivating | *=reloading) field running yes ;;
  *) field running no ;;
esac
