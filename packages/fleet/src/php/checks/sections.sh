# The pool files of Fleet, each behind its version. $1: root folder.
for file in "$1"/etc/php/*/fpm/pool.d/fleet-scopes.conf; do
  [ -f "$file" ] || continue
  version=${file%/fpm/pool.d/fleet-scopes.conf}
  field "pools.${version##*/}" "$(cat "$file")"
done
field end yes
