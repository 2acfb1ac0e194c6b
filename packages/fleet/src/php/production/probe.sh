# shellcheck shell=sh
# $1: the Unix user, its unit and its sockets. Once they are there, the receipt says which manager has taken which files.
# shellcheck disable=SC2086 # Several words.
set -- $1
place=$root/etc/fleet/php-fpm/$1 unit=$2
shift 2
for socket; do
  [ -S "$root$socket" ] || return 1
done
pid=$(systemctl show --property=MainPID --value "$unit")
began=$(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 20)
printf '%s\n%s\n%s\n%s\n' \
  "$(cat "$place/generated/php-fpm.conf" "$place/generated/master.ini" "$root/etc/systemd/system/$unit" | sha256sum | cut -c 1-64)" \
  "$(cat /proc/sys/kernel/random/boot_id)" "$pid" "${began:-none}" |
  put 644 "$place/generated/applied" && remove "$place/generated/pending"
