# shellcheck shell=sh
# As the account that serves: what it may not read is no use to it.
if [ "$own_uid" = 0 ] && id -u caddy >/dev/null; then as_caddy='runuser -u caddy -- env HOME=/var/lib/caddy'; else as_caddy=; fi
