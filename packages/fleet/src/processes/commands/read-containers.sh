# read containers of Processes
# Arguments: id and container of each Process in turn. Answers a line for each that exists: container, status, and its CPU
# time in microseconds twice and its memory in bytes, empty where the kernel does not count them.
command -v docker >/dev/null || refuse no-docker
is_stopped && refuse docker-silent
SHAPE='{{.Name}}|{{index .Config.Labels "fleet.managed"}}|{{index .Config.Labels "fleet.process.id"}}|{{.State.Status}}|{{.State.Pid}}'
group_of() { sed -n 's/^0:://p' "/proc/$1/cgroup"; }
cpu_of() { sed -n 's/^usage_usec //p' "/sys/fs/cgroup$(group_of "$1")/cpu.stat"; }
memory_of() { cat "/sys/fs/cgroup$(group_of "$1")/memory.current"; }
names=''
owned='|'
while [ $# -gt 0 ]; do
  names="$names $2"
  owned="$owned/$2|true|$1|"
  shift 2
done
# shellcheck disable=SC2086
found=$(timeout 10 docker container inspect --format "$SHAPE" $names)
[ -n "$found" ] || timeout 10 docker version --format '{{.Server.Version}}' >/dev/null || refuse docker-silent
each() {
  printf '%s\n' "$found" | while IFS='|' read -r name managed id status pid; do
    case $owned in *"|$name|$managed|$id|"*) "$1" "${name#/}" "$status" "$pid" ;; esac
  done
}
cpu() { [ "$3" = 0 ] || printf '%s %s\n' "$1" "$(cpu_of "$3")"; }
all() { if [ "$3" = 0 ]; then printf '%s %s\n' "$1" "$2"; else printf '%s %s %s\n' "$1" "$2" "$(memory_of "$3")"; fi; }
began=$(date +%s%N)
before=$(each cpu)
[ -z "$before" ] || sleep 0.25
after=$(each cpu)
ended=$(date +%s%N)
field before "$before"
field after "$after"
field states "$(each all)"
field nanoseconds "$((ended - began))"
