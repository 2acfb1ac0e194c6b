# make directories
settings=$1 homes=$2
if [ -L "$settings" ] || [ "$(owned "$settings")" != 711 ]; then
  directory 711 "$settings" && flush "$settings" || exit 1
fi
[ ! -L "$homes" ] && [ -d "$homes" ] || exit 1
# Whoever could write there could put a home in the place of another.
[ "$(stat -c %u -- "$homes")" = "$(id -u)" ] && [ -z "$(find "$homes" -prune -perm /022)" ] || exit 1
echo ready
