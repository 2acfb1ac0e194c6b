# shellcheck shell=sh
# Requests that a closing listener has not taken yet move to the next one.
sysctl -q -p "$root/etc/sysctl.d/60-fleet-caddy.conf" || :
