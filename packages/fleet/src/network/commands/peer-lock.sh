# shellcheck shell=sh
peer_lock=$root/run/lock/fleet-wireguard-peer.lock
# is_lock: a file of root's alone.
is_lock() { [ ! -L "$peer_lock" ] && [ -f "$peer_lock" ] && [ "$(stat -c '%a %u' -- "$peer_lock")" = "600 $(id -u)" ]; }
# take_peer_lock: the lock of whoever changes the tunnel or its resolver, within 20 s. Everybody may make a file in its folder and
# lock what they can open, so that what is not root's alone is replaced.
take_peer_lock() {
  # Unflushed "$peer_lock", "$peer_lock_new": the file system is one in memory.
  if { [ -e "$peer_lock" ] || [ -L "$peer_lock" ]; } && ! is_lock; then
    if [ -d "$peer_lock" ] && [ ! -L "$peer_lock" ]; then rm -rf -- "$peer_lock"; fi
    peer_lock_new=$(mktemp "$peer_lock.XXXXXX") && mv -fT -- "$peer_lock_new" "$peer_lock" || return 1
  fi
  # A redirection of `exec` alone that fails would end the script.
  command exec 9>"$peer_lock" && is_lock && flock -w 20 9
}
