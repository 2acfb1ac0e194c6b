# Over the resolver's desired state: $keeper $server $domains $default.

sorted() { tr ' ' '\n' | sort | tr '\n' ' '; }
live() { resolvectl "$1" "$link" | sed 's/^[^:]*: *//'; }

# points: the tunnel's link asks whom it should about what it should.
points() {
  [ "$(live dns)" = "$server" ] || return 1
  [ "$(live domain | sorted)" = "$(echo "$domains" | sorted)" ] || return 1
  [ "$keeper" = line ] || [ "$(live default-route)" = "$default" ]
}

# point SERVER DOMAINS DEFAULT: words of resolvectl; the domains are several.
point() {
  set -f
  # shellcheck disable=SC2086 # Several words.
  resolvectl dns "$link" $1 && resolvectl domain "$link" $2 && resolvectl default-route "$link" "$3"
}

# As wg-quick does it with a DNS line, so that it can take it back.
point_by_line() {
  resolvectl revert "$link"
  printf 'nameserver %s\n' "$server" | resolvconf -a "$link" -m 0 -x
}

has_resolved() { command -v resolvectl >/dev/null && systemctl is-active --quiet systemd-resolved; }

# foreign: a state of the link that is not Fleet's.
foreign() (
  state=$folder/fleet.dns-link
  [ -e "$state" ] || [ -L "$state" ] || exit 1
  [ -n "$(digest "$state")" ] && [ "$(head -n 1 "$state")" = "$written" ] && exit 1
  exit 0
)

# set_aside: keeps beside it what somebody else put in the place of that state.
set_aside() { move "$folder/fleet.dns-link" "$folder/fleet.dns-link.foreign"; }

# own_state FOREIGN: `replace` sets a foreign state aside, `refuse` leaves it.
own_state() {
  ! foreign && return 0
  [ "$1" = replace ] || return 1
  changed=yes
  set_aside
}

drop_in=$root/etc/systemd/system/$unit.d/fleet-gateway-dns.conf
other_server=$root/etc/systemd/resolved.conf.d/fleet-upstream.conf

# resolver_files STATE DROP_IN OTHER_SERVER: their texts, empty for none.
resolver_files() {
  keep "$1" "$folder/fleet.dns-link" 600 || return 1
  if ! is "$2" "$drop_in" 644; then keep "$2" "$drop_in" 644 && systemctl daemon-reload || return 1; fi
  if ! is "$3" "$other_server" 644; then
    keep "$3" "$other_server" 644 && systemctl restart systemd-resolved || return 1
  fi
}

# A machine whose servers stood in /etc/resolv.conf has none any more once systemd-resolved was installed on it.
keep_uplink() {
  earlier=$root/etc/.resolv.conf.systemd-resolved.bak
  [ -f "$earlier" ] && [ ! -L "$earlier" ] || return 0
  awk -v own="$server" '$1 == "nameserver" && $2 != own { found = 1 } END { exit !found }' \
    "$root/run/systemd/resolve/resolv.conf" && return 0
  servers=$(awk '$1 == "nameserver" && $2 !~ /^127\./ && $2 != "::1" { printf "%s ", $2 }' "$earlier")
  [ -n "$servers" ] || return 0
  keep "$written
[Resolve]
DNS=${servers% }
" "$root/etc/systemd/resolved.conf.d/fleet-uplink.conf" 644 && systemctl restart systemd-resolved
}
