# list PHP services
# Arguments: the root folder. The services of production Instances that are on the Node: the Unix user and version of each.
root=$1
services=$(for file in "$root"/etc/systemd/system/fleet-*-php*-fpm.service; do
  [ -f "$file" ] && [ ! -L "$file" ] || continue
  user=$(sed -n 's/^# fleet\.php\.id=//p' "$file" | head -n 1)
  name=${file##*/}
  version=${name##*-php}
  version=${version%-fpm.service}
  [ "$name" = "fleet-$user-php$version-fpm.service" ] || continue
  printf '%s %s\n' "$user" "$version"
done)
field services "$services"
field end yes
