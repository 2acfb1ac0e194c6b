# make directories
# Arguments: the directory of settings, the root of homes.
settings=$1 homes=$2
if [ -L "$settings" ] || [ "$(owned "$settings")" != 711 ]; then
  directory 711 "$settings" && flush "$settings" || refuse settings_unsafe
fi
[ ! -L "$homes" ] && [ -d "$homes" ] || refuse homes_unsafe
# Whoever could write there could put a home in the place of another.
[ "$(stat -c %u -- "$homes")" = "$(id -u)" ] && [ -z "$(find "$homes" -prune -perm /022)" ] || refuse homes_unsafe
field ready yes
