# shellcheck shell=sh
# begin UNIT ACTION: one that failed too often would not be started again, and no socket can begin while its service runs.
begin() {
  case $2.$(systemctl is-active "$1") in
    reload.active) systemctl reload "$1"; return ;;
    reload.reloading | start.reloading) end_reload "$1" "$2"; return ;;
  esac
  systemctl reset-failed "$1"
  case $1 in *.socket) systemctl stop "${1%.socket}.service" ;; esac
  begun=yes && systemctl restart "$1"
}
# end_reload UNIT ACTION: one whose service never told its end is ended by the service's own way; until then systemd begins no
# other (decision 0370).
end_reload() {
  tries=30
  until is_settled "$1"; do
    tries=$((tries - 1))
    if [ "$tries" -le 0 ]; then
      [ -n "${hook_reload:-}" ] && hook reload
      return
    fi
    sleep 0.1
  done
  [ "$2" = start ] || systemctl reload "$1"
}
