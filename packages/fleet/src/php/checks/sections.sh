# The pool files of Fleet, each behind its version, and of which versions the manager runs. $1: root folder.
for file in "$1"/etc/php/*/fpm/pool.d/fleet-scopes.conf; do
  [ -f "$file" ] || continue
  version=${file%/fpm/pool.d/fleet-scopes.conf}
  version=${version##*/}
  field "pools.$version" "$(cat "$file")"
  if systemctl -q is-active "php$version-fpm.service"; then field "running.$version" yes; fi
done
field end yes
