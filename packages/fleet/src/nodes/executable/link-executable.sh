# link and seal the executable
# Arguments: the folder, the link, SHA-256 or nothing, the facts to seal it with or nothing.
directory=$1 link=$2 sha256=$3 unsealed=$4
if [ -n "$sha256" ] && [ -n "$unsealed" ] && [ "$unsealed" = "$(facts_of "$directory/fleet")" ]; then
  seal "$sha256" "$unsealed"
fi
link_command
executable_state
