# observe the machine
root=no
if [ "$(id -u)" = 0 ] || sudo -n true </dev/null >/dev/null; then root=yes; fi
# Client address, client port, own address, own port.
# shellcheck disable=SC2086 # Several words.
set -- ${SSH_CONNECTION-}
field system "$(uname -s)"
field architecture "$(uname -m)"
field user "$(id -un)"
field home "${HOME-}"
field root "$root"
field port "${4-}"
