# read on which ports of the loopback address a unit listens
# Arguments: root folder, unit. Answers the ports.
root=$1 unit=$2
command -v systemctl >/dev/null || refuse no-systemd
group=$(systemctl show --property=ControlGroup "$unit")
group=${group#ControlGroup=}
ports=
if [ -n "$group" ]; then
  sockets=$(find "$root/sys/fs/cgroup$group" -name cgroup.procs -exec cat {} + |
    while read -r pid; do
      find "/proc/$pid/fd" -mindepth 1 -maxdepth 1 -lname 'socket:*' -printf '%l\n'
    done | tr -dc '0-9\n' | tr '\n' ' ')
  # The kernel's own table: address:port in hex, 0A for a listener, and the number of the socket.
  ports=$(cat /proc/net/tcp /proc/net/tcp6 | awk -v sockets=" $sockets" '
    $4 == "0A" && index(sockets, " " $10 " ") {
      split($2, at, ":")
      if (at[1] ~ /^(0100007F|0+|0{24}01000000)$/) print at[2]
    }' | sort -u | while read -r port; do printf '%d ' "0x$port"; done)
fi
field ports "$ports"
