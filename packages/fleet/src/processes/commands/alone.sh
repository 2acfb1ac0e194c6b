# shellcheck shell=sh
# What changes the containers of a Process, or what such a container has, goes on when its connection breaks, so that it leaves
# nothing half done, and the identical request may come before its end.
ALONE_SECONDS=60
LOCKS=${FLEET_RUN:-/run/fleet-processes}

# alone LOCK [MEANWHILE]: until this script ends, no other one has the lock, such as the id of a Process. An earlier one ends first;
# MEANWHILE is called each second until then. Of those that wait, the last one gets it: nobody waits for the earlier ones any more.
alone() {
  trap '' HUP PIPE
  mkdir -m 700 "$LOCKS" 2>/dev/null || [ -d "$LOCKS" ] || refuse busy
  # Whoever had it may have removed the file: then the next one would lock another.
  until
    exec 8>"$LOCKS/$1" && printf '%s\n' "$$" >&8 && locked 8 "${2:-}" || refuse busy
    read -r last_asker </proc/self/fd/8 && [ "$last_asker" = "$$" ] || refuse busy
    [ "$(stat -L -c %i "$LOCKS/$1")" = "$(stat -L -c %i /proc/self/fd/8)" ]
  do :; done
}
# also_alone LOCK: a second one, which others may want for something else.
also_alone() {
  until
    exec 9>"$LOCKS/$1" && locked 9 '' || refuse busy
    [ "$(stat -L -c %i "$LOCKS/$1")" = "$(stat -L -c %i /proc/self/fd/9)" ]
  do :; done
}
# locked FD MEANWHILE
locked() {
  if [ -z "$2" ]; then
    flock -w "$ALONE_SECONDS" "$1"
    return
  fi
  lock_seconds=$ALONE_SECONDS
  until flock -w 1 "$1"; do
    [ "$lock_seconds" -gt 0 ] || return 1
    lock_seconds=$((lock_seconds - 1))
    "$2"
  done
}
# forget_lock LOCK: of what exists no more.
# Unflushed "$LOCKS/$1": nothing there survives a restart.
forget_lock() { rm -f "$LOCKS/$1"; }
