# Which Caddy there is, and which build its live file is: the name of a version of Fleet's that nobody edited, `edited`,
# `foreign`, or `none`.
version_of_live() {
  live=$(readlink -f -- "$1/etc/caddy/Caddyfile") && [ -f "$live" ] || { printf none; return; }
  case $live in
    "$(readlink -f -- "$1/etc/caddy")"/fleet-versions/*/Caddyfile) ;;
    *) printf foreign; return ;;
  esac
  folder=${live%/Caddyfile}
  if [ "$(digest "$live" | cut -c 1-32)" = "${folder##*/}" ]; then printf '%s' "${folder##*/}"
  else printf edited; fi
}
field caddy "$(timeout 5 caddy version </dev/null | head -n 1)"
field live "$(version_of_live "$1")"
