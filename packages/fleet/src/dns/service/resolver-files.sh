# shellcheck shell=sh
# resolver_files: those below $root from which the Node's resolvers follow.
resolver_files() {
  [ ! -f "$root/run/systemd/resolve/resolv.conf" ] || field_file resolved "$root/run/systemd/resolve/resolv.conf"
  [ ! -f "$root/etc/resolv.conf" ] || field_file plain "$root/etc/resolv.conf"
  field leases "$(cat "$root"/var/lib/dhcp/dhclient*.leases "$root"/run/systemd/netif/leases/* | tail -c 16384)"
}
