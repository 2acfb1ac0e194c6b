# observe the machine
set -u
LC_ALL=C
export LC_ALL
root=no
if [ "$(id -u)" = 0 ] || sudo -n true </dev/null >/dev/null 2>&1; then root=yes; fi
# Client address, client port, own address, own port.
# shellcheck disable=SC2086 # Several words.
set -- ${SSH_CONNECTION-}
field system "$(uname -s 2>/dev/null)"
field architecture "$(uname -m 2>/dev/null)"
field user "$(id -un)"
field home "${HOME-}"
field root "$root"
field port "${4-}"
