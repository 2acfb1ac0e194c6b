# shellcheck shell=sh
# Puts the command where nothing has its name, and seals the executable unless it was written since it was inspected.
# With `replace` a foreign program that has the name is kept beside it, under a name that nothing has.
directory=$1 link=$2 sha256=$3 unsealed=$4 on_foreign=$5
if [ -n "$sha256" ] && [ -n "$unsealed" ] && [ "$unsealed" = "$(facts "$directory/fleet")" ]; then
  seal_executable "$sha256" "$unsealed"
fi
beside() {
  kept=$1.foreign count=1
  while [ -e "$kept" ] || [ -L "$kept" ]; do
    count=$((count + 1))
    kept=$1.foreign-$count
  done
  printf '%s' "$kept"
}
if [ "$on_foreign" = replace ] && [ "$(command_state "$sha256")" = foreign ]; then move "$link" "$(beside "$link")" || refuse configuration_failed; fi
link_command
executable_state
