# The PHP services of production Instances. $1: root folder. The configuration, tuning and unit state of each user.
for file in "$1"/etc/fleet/php-fpm/*/generated/php-fpm.conf; do
  [ -f "$file" ] || continue
  place=${file%/generated/php-fpm.conf}
  user=${place##*/}
  field "configuration.$user" "$(cat "$file")"
  if [ -f "$place/local.conf" ] && [ ! -L "$place/local.conf" ]; then field "tuning.$user" "$(cat "$place/local.conf")"; fi
done
active=$(for file in "$1"/etc/systemd/system/fleet-*-php*-fpm.service; do
  [ -f "$file" ] || continue
  if systemctl -q is-active "${file##*/}"; then printf '%s\n' "${file##*/}"; fi
done)
field active "$active"
field end yes
