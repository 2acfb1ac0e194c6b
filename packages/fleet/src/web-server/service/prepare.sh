# shellcheck shell=sh
# Requests that a closing listener has not taken yet move to the next one.
read -r migrates </proc/sys/net/ipv4/tcp_migrate_req && [ "$migrates" = 1 ] ||
  sysctl -q -p "$root/etc/sysctl.d/60-fleet-caddy.conf" || :
# A running server is not started again, so its folder of sockets is made here too.
if [ "$own_uid" = 0 ] && [ "$(stat -c '%a %U %G' -- "$root/run/fleet-sites")" != '700 caddy caddy' ]; then
  install -d -m 0700 -o caddy -g caddy "$root/run/fleet-sites" || :
fi
