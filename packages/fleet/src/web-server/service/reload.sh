# shellcheck shell=sh
# Past systemd: Caddy tells it the end of a reload that it takes, and of no other (2.6).
# shellcheck disable=SC2086
told=$($as_caddy timeout 60 caddy reload --force --adapter caddyfile --config "$root/etc/caddy/Caddyfile" 2>&1 </dev/null) || {
  field stage reload
  field message "$(printf '%s\n' "$told" | grep -v '"level":"info"' | head -c 4000)"
  return 1
}
