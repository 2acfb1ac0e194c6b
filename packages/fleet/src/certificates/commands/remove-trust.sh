# trust the fleet root no more
if [ -e "$file" ] || [ -L "$file" ] || [ -L "$link" ]; then
  remove "$file" || refuse trust_failed
  update-ca-certificates >/dev/null </dev/null && [ ! -e "$link" ] && flush_names "$bundle" || refuse trust_failed
fi
field removed yes
