# find home
# Arguments: the Unix user, its home.
if getent passwd "$1" >/dev/null || getent group "$1" >/dev/null || [ -e "$2" ] || [ -L "$2" ]; then refuse taken; fi
field free yes
