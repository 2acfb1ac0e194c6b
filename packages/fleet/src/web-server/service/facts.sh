# shellcheck shell=sh
# Which Caddy the Node has, which certificates are there, and of which it was not told yet. One that is being written is the business
# of its writer.
field caddy "$(caddy version </dev/null | head -n 1)"
field present "$(
  for leaf in "$root$1"/*/leaf.pem; do
    [ -f "$leaf" ] || continue
    scope=${leaf%/*}
    printf '%s\n' "${scope##*/}"
  done
)"
field waiting "$(
  for mark in "$root$1"/*/leaf.pem.pending; do
    [ -e "$mark" ] && [ ! -e "${mark%.pending}.fleet-new" ] || continue
    scope=${mark%/*}
    printf '%s\n' "${scope##*/}"
  done
)"
