# shellcheck shell=sh
# $1: the Unix user and its unit. What the operator tunes, and whether the manager that runs has taken what is there.
# shellcheck disable=SC2086 # Two words.
set -- $1
place=$root/etc/fleet/php-fpm/$1
local='absent'
if [ -L "$place/local.conf" ]; then local='unsafe'
elif [ -f "$place/local.conf" ]; then
  if [ "$(wc -c <"$place/local.conf")" -le 65536 ]; then local='file'; else local='unsafe'; fi
elif [ -e "$place/local.conf" ]; then local='unsafe'; fi
field local "$local"
if [ "$local" = file ]; then field_file tuning "$place/local.conf"; fi
pid=$(systemctl show --property=MainPID --value "$2")
began=$(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 20)
state="$(cat "$place/generated/php-fpm.conf" "$place/generated/master.ini" "$root/etc/systemd/system/$2" | sha256sum | cut -c 1-64)
$(cat /proc/sys/kernel/random/boot_id)
$pid
${began:-none}"
if [ ! -e "$place/generated/pending" ] && [ "$(cat "$place/generated/applied")" = "$state" ]; then field settled yes; else field settled no; fi
