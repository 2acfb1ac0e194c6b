# shellcheck shell=sh
# Puts the command where nothing has its name, and seals the executable unless it was written since it was inspected.
directory=$1 link=$2 sha256=$3 unsealed=$4
if [ -n "$sha256" ] && [ -n "$unsealed" ] && [ "$unsealed" = "$(facts "$directory/fleet")" ]; then
  seal_executable "$sha256" "$unsealed"
fi
link_command
executable_state
