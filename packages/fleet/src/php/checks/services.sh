# The PHP services of production Instances. $1: root folder. The configuration and tuning of each user, the units that run and
# those that start at boot.
for file in "$1"/etc/fleet/php-fpm/*/generated/php-fpm.conf; do
  [ -f "$file" ] || continue
  place=${file%/generated/php-fpm.conf}
  user=${place##*/}
  field "configuration.$user" "$(cat "$file")"
  if [ -f "$place/local.conf" ] && [ ! -L "$place/local.conf" ]; then field "tuning.$user" "$(cat "$place/local.conf")"; fi
done
units() {
  for file in "$2"/etc/systemd/system/fleet-*-php*-fpm.service; do
    [ -f "$file" ] || continue
    if systemctl -q "$1" "${file##*/}"; then printf '%s\n' "${file##*/}"; fi
  done
}
field active "$(units is-active "$1")"
field enabled "$(units is-enabled "$1")"
field end yes
