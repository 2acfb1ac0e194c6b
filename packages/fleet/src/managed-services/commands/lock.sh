# shellcheck shell=sh
# The lock of a service. A private one is root's alone: its file, and the folder that the file is in.
# What somebody else may change holds nobody back: whoever removes it has another lock than who waits for it.
lock_is_safe() { [ "$3" != private ] || { private -d 700 "${1%/*}" && private -f 600 "$1"; }; }
# private TEST MODE PATH: whether it is root's alone, or not there yet.
private() {
  if [ ! -L "$root$3" ]; then
    [ -e "$root$3" ] || return 0
    if test "$1" "$root$3" && [ "$(stat -c '%a %u' -- "$root$3")" = "$2 $own_uid" ]; then return 0; fi
  fi
  unsafe="$3 is a $(stat -c '%F of %U, mode %a' -- "$root$3"); it must be of root with mode $2. Remove it on the Node, then run the same command again."
  return 1
}
take_lock() {
  if [ -L "$root$1" ] || { [ -e "$root$1" ] && [ ! -f "$root$1" ]; }; then return 1; fi
  before=$(umask) && umask 077
  exec 9>>"$root$1" && chmod 600 "$root$1" && umask "$before" && flock -w "$2" 9
}
