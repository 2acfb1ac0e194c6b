# act on the unit of a Process
# Arguments: root folder, marker and unit of the Process, what to do, whether it starts at boot, and the digest that its file has to have
# or an empty text. Answers its status; `differs` when nothing was done, because the file is another one.
root=$1 mark=$2 unit=$3 action=$4 boot=$5 wanted=$6
command -v systemctl >/dev/null || refuse no-systemd
units=$root/etc/systemd/system
path=$units/$unit
as_installed() { [ "$(sound 644 "$path")" = "$wanted" ] && is_ours "$mark" "$path" && [ ! -e "$path.fleet-before" ]; }
answer_status() {
  status=$(systemctl show --property=ActiveState "$unit")
  [ -n "${status#ActiveState=}" ] || refuse failed
  field status "${status#ActiveState=}"
}
if [ -z "$wanted" ]; then
  if ! { [ -e "$path" ] || [ -L "$path" ]; }; then
    [ "$action" = stop ] || refuse missing
    # It may run from what systemd read before its file went.
    case $(systemctl show --property=ActiveState "$unit") in *=inactive | *=failed) ;; *) systemctl stop "$unit" || refuse failed ;; esac
    answer_status
    exit 0
  fi
  is_ours "$mark" "$path" || refuse foreign
elif ! as_installed; then
  field status differs
  exit 0
fi
# A connection that breaks leaves nothing half done.
trap '' HUP PIPE
# Links for the next boot, which reads them itself: to read all units again takes longer than a start.
is_linked=no
[ ! -L "$units/multi-user.target.wants/$unit" ] || is_linked=yes
at_boot() {
  [ "$boot" = yes ] || return 0
  systemctl --no-reload enable "$@" && { [ "$is_linked" = yes ] || flush_links "$units" multi-user.target; }
}
case $action in
  stop)
    # One that would start at the next boot is not stopped.
    systemctl --no-reload disable --now "$unit" || { systemctl stop "$unit" && ! systemctl is-enabled --quiet "$unit"; } || refuse failed
    [ "$is_linked" = no ] || flush_links "$units" multi-user.target || refuse failed ;;
  start) if [ "$boot" = yes ]; then at_boot --now "$unit"; else systemctl start "$unit"; fi ;;
  restart) at_boot "$unit" && systemctl restart "$unit" ;;
esac || {
  at_boot "$unit" || refuse failed
  # One that failed too often is not started again before.
  systemctl reset-failed "$unit"
  # A command that does not run shows in the status.
  systemctl "$action" "$unit"
}
answer_status
