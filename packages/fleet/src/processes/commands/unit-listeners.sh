# read on which ports of the loopback addresses a unit listens
# Arguments: root folder, unit. Answers the ports of 127.0.0.1, and those of ::1.
root=$1 unit=$2
command -v systemctl >/dev/null || refuse no-systemd
group=$(systemctl show --property=ControlGroup "$unit")
group=${group#ControlGroup=}
ports='' ports6=''
if [ -n "$group" ]; then
  sockets=$(find "$root/sys/fs/cgroup$group" -name cgroup.procs -exec cat {} + |
    while read -r pid; do
      find "/proc/$pid/fd" -mindepth 1 -maxdepth 1 -lname 'socket:*' -printf '%l\n'
    done | tr -dc '0-9\n' | tr '\n' ' ')
  # The kernel's own table: address:port in hex, 0A for a listener, and the number of the socket.
  listeners=$(cat /proc/net/tcp /proc/net/tcp6 | awk -v sockets=" $sockets" '
    $4 == "0A" && index(sockets, " " $10 " ") { sub(":", " ", $2); print $2 }' | sort -u)
  # ports_of PATTERN: spelled out, since the awk of Debian 12 knows no counted repetition.
  ports_of() { printf '%s\n' "$listeners" | grep -E "^($1) " | while read -r _ port; do printf '%d ' "0x$port"; done; }
  # Every address, and that of IPv4 in a socket of IPv6, are reached at 127.0.0.1 too.
  ports=$(ports_of '0100007F|0+|0000000000000000FFFF00000100007F')
  ports6=$(ports_of 00000000000000000000000001000000)
fi
field ports "$ports"
field ports6 "$ports6"
