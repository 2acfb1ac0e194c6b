# shellcheck shell=sh
# Whether dnsmasq is installed, and the files from which the Node's resolvers follow.
if command -v dnsmasq >/dev/null; then field dnsmasq yes; else field dnsmasq no; fi
[ ! -f "$root/run/systemd/resolve/resolv.conf" ] || field_file resolved "$root/run/systemd/resolve/resolv.conf"
[ ! -f "$root/etc/resolv.conf" ] || field_file plain "$root/etc/resolv.conf"
field leases "$(cat "$root"/var/lib/dhcp/dhclient*.leases "$root"/run/systemd/netif/leases/* | tail -c 16384)"
