# withdraw PHP pools
# Arguments: the root folder, then versions. A manager with pools of others is reloaded; one without any could not run.
root=$1
shift
for version; do
  place=$root/etc/php/$version
  remove "$place/fpm/pool.d/fleet-scopes.conf" && remove "$place/fpm/conf.d/99-fleet-runtime.ini" &&
    remove "$place/mods-available/fleet-runtime.ini" || refuse write
  unit=php$version-fpm.service
  if [ -n "$(find "$place/fpm/pool.d" -name '*.conf' -print -quit)" ]; then
    if systemctl -q is-active "$unit"; then systemctl reload "$unit" || refuse reload; fi
  else
    systemctl disable --now "$unit" || refuse reload
  fi
done
field withdrawn yes
