# shellcheck shell=sh
# Which Caddy the Node has.
field caddy "$(caddy version </dev/null | head -n 1)"
