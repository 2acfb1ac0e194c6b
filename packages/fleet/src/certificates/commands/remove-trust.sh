# trust the fleet root no more
# shellcheck disable=SC2154 # trust.sh sets the variables.
if [ -e "$file" ] || [ -L "$file" ] || [ -L "$link" ]; then
  remove "$file" || refuse trust_failed
  update-ca-certificates >/dev/null </dev/null && [ ! -e "$link" ] && flush_names "$bundle" || refuse trust_failed
fi
field removed yes
