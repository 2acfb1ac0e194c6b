# A control group for what a script starts, where the Node has systemd: nothing leaves it, whatever it does to its session, its
# environment or its parent.
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

# Moves the subshell that calls it into the scope $1, which ends with the last process in it.
enter_control_group() {
  # shellcheck disable=SC2016 # The inner shell expands it: its parent is the subshell.
  self=$(exec sh -c 'echo "$PPID"')
  systemctl --quiet is-active init.scope || return
  as_root busctl --quiet call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager \
    StartTransientUnit 'ssa(sv)a(sa(sv))' "$1" fail 2 PIDs au 1 "$self" CollectMode s inactive-or-failed 0 || return
  tries=0
  while [ "$tries" -lt 100 ] && ! grep -q "/$1\$" "/proc/$self/cgroup"; do
    sleep 0.02
    tries=$((tries + 1))
  done
}

end_control_group() {
  systemctl --quiet is-active "$1" || return 0
  as_root systemctl kill --signal=KILL "$1"
  as_root systemctl stop "$1"
}
