# print_sites ROOT: which Caddy there is and its live file, compressed: a Node may have a thousand sites.
print_sites() {
  field caddy "$(timeout 5 caddy version </dev/null | head -n 1)"
  if [ -f "$1/etc/caddy/Caddyfile" ]; then
    field sites "$(timeout 10 head -c 16777216 "$1/etc/caddy/Caddyfile" | gzip -c | base64)"
  else field sites ''; fi
}
