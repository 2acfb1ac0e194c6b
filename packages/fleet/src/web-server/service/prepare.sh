# shellcheck shell=sh
# Requests that a closing listener has not taken yet move to the next one.
sysctl -q -p "$root/etc/sysctl.d/60-fleet-caddy.conf" || :
# A running server is not started again, so its folder of sockets is made here too.
if [ "$(id -u)" = 0 ] && id -u caddy >/dev/null 2>&1; then
  install -d -m 0700 -o caddy -g caddy "$root/run/fleet-sites" || :
fi
