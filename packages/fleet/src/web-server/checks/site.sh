# The block of one site in the live file, and which Caddy there is.
field caddy "$(timeout 5 caddy version </dev/null | head -n 1)"
field block "$(awk -v head="# $2" '$0 == head { on = 1; print; next } /^# / { on = 0 } on && NF' "$1/etc/caddy/Caddyfile")"
