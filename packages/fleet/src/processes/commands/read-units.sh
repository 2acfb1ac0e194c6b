# read units of Processes
# Arguments: the units. Answers their properties twice, and the nanoseconds in between.
command -v systemctl >/dev/null || refuse no-systemd
show() { systemctl show --property=Id,LoadState,ActiveState,CPUUsageNSec,MemoryCurrent -- "$@"; }
began=$(date +%s%N)
before=$(show "$@")
sleep 0.25
after=$(show "$@")
ended=$(date +%s%N)
field before "$before"
field after "$after"
field nanoseconds "$((ended - began))"
