# shellcheck shell=sh
# Without any capability root passes through the folders of others only where they let it.
if [ -d "$1" ] && [ ! -L "$1" ] && [ "$(stat -c %u -- "$1")" != 0 ] && [ -z "$(find "$1" -prune -perm -001)" ]; then
  setfacl -m u:root:--x -- "$1"
fi
true
