# shellcheck shell=sh
exec >/dev/null
action=$1 link=$2
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

point() {
  [ -f "$folder/fleet.dns-link" ] && [ ! -L "$folder/fleet.dns-link" ] || return 0
  dns='' domains='' default=''
  while read -r name value; do
    case $name in
      dns) dns=$value ;;
      domains) domains=$value ;;
      default-route) default=$value ;;
    esac
  done <"$folder/fleet.dns-link"
  [ -n "$dns" ] && [ -n "$domains" ] && [ -n "$default" ] || return 1
  set -f
  # shellcheck disable=SC2086 # Several words.
  resolvectl dns "$link" $dns && resolvectl domain "$link" $domains && resolvectl default-route "$link" "$default"
}

# LLMNR and mDNS: every member could answer for the names of another.
silence() {
  ! command -v resolvectl || { resolvectl llmnr "$link" no; resolvectl mdns "$link" no; }
}

case $action in
  up)
    grep -v '^DNS = ' "$folder/fleet.conf" | sha256sum | cut -c 1-64 >"$root/run/fleet-wireguard.applied"
    silence
    umask 077
    if ! take_peer_lock; then
      echo "fleet: another change holds the resolver's lock, so the resolver was not pointed at the fleet's DNS" >&2
    elif ! point; then
      echo "fleet: the resolver could not be pointed at the fleet's DNS" >&2
    fi
    ;;
  forward)
    sysctl -q -w net.ipv4.ip_forward=1
    # A firewall that forwards nothing, as ufw does by default, would cut members off from each other.
    if command -v iptables; then
      iptables -C FORWARD -i "$link" -o "$link" -j ACCEPT 2>/dev/null \
        || iptables -I FORWARD -i "$link" -o "$link" -j ACCEPT
    fi
    ;;
  unforward)
    ! command -v iptables || iptables -D FORWARD -i "$link" -o "$link" -j ACCEPT 2>/dev/null
    ;;
esac
exit 0
