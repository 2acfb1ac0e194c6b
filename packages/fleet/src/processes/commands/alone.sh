# shellcheck shell=sh
# What changes the containers of a Process goes on when its connection breaks, so that it leaves nothing half done, and the identical
# request may come before its end.
ALONE_SECONDS=60
LOCKS=${FLEET_RUN:-/run/fleet-processes}

# alone ID: until this script ends, no other one changes the containers of the Process. An earlier one ends first.
alone() {
  trap '' HUP PIPE
  mkdir -m 700 "$LOCKS" 2>/dev/null || [ -d "$LOCKS" ] || refuse busy
  # Whoever had it may have removed the file: then the next one would lock another.
  until
    exec 8>"$LOCKS/$1" && flock -w "$ALONE_SECONDS" 8 || refuse busy
    [ "$(stat -L -c %i "$LOCKS/$1")" = "$(stat -L -c %i /proc/self/fd/8)" ]
  do :; done
}
# forget_lock ID: of a Process that has no container any more.
# Unflushed "$LOCKS/$1": nothing there survives a restart.
forget_lock() { rm -f "$LOCKS/$1"; }
