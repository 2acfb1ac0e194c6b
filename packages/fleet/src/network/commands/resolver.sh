# Over the resolver's desired state: $keeper $server $domains $default.

sorted() { tr ' ' '\n' | sort | tr '\n' ' '; }
live() { resolvectl "$1" "$link" | sed 's/^[^:]*: *//'; }

# points: the tunnel's link asks whom it should about what it should, and answers nobody's multicast questions.
points() { asks && is_silent; }
asks() {
  if [ "$keeper" = none ]; then [ -z "$(live dns)$(live domain)" ]; return; fi
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

# As wg-quick does it with a DNS line, so that it can undo it.
point_by_line() {
  resolvectl revert "$link"
  printf 'nameserver %s\n' "$server" | resolvconf -a "$link" -m 0 -x
}

# aim_at_none: the link has no name server any more.
aim_at_none() { if has_resolved; then resolvectl revert "$link"; else resolvconf -d "$link"; fi; }

# aim: the link becomes what points() expects.
aim() {
  case $keeper in
    line) point_by_line ;;
    none) aim_at_none ;;
    *) point "$server" "$domains" "$default" && asks ;;
  esac && silence
}

has_resolved() { command -v resolvectl >/dev/null && systemctl is-active --quiet systemd-resolved; }

# Every member could answer LLMNR and mDNS questions of another one and so take over its names.
is_silent() { ! has_resolved || { [ "$(live llmnr)" = no ] && [ "$(live mdns)" = no ]; }; }
silence() { ! has_resolved || { resolvectl llmnr "$link" no && resolvectl mdns "$link" no; }; }

list=$root/etc/resolv.conf
stub=run/systemd/resolve/stub-resolv.conf

# is_stub: programs that read /etc/resolv.conf ask systemd-resolved, which alone knows the tunnel's link, or the fleet's
# DNS where that answers everything. A tunnel with a DNS line is resolvconf's business, one without a resolver nobody's.
is_stub() {
  [ "$keeper" = line ] || [ "$keeper" = none ] || awk -v fleet="$server" -v all="$default" '
    $1 != "nameserver" { next }
    $2 == "127.0.0.53" || $2 == "127.0.0.54" || (all == "yes" && $2 == fleet) { found = 1; next }
    { other = 1 }
    END { exit !found || other }' "$list"
}

# back_up: what is in the place of Fleet's link may be somebody's work; named by its text, so that a repeat adds nothing.
back_up() {
  backup=
  case $(readlink -- "$list") in
    */"$stub") # Somebody wrote through the link: the text alone is theirs.
      kept=$list.before-fleet-$(sha256sum <"$list" | cut -c 1-12)
      [ ! -f "$list" ] || put 644 "$kept" <"$list"; return ;;
  esac
  if [ -L "$list" ]; then kept=$(readlink -- "$list" | sha256sum)
  elif [ -f "$list" ]; then kept=$(sha256sum <"$list")
  else return 0; fi
  kept=$list.before-fleet-$(echo "$kept" | cut -c 1-12)
  remove "$kept" && cp -pPT -- "$list" "$kept" && { [ -L "$kept" ] || flush "$kept"; } && flush_names "$kept" && backup=$kept
}

# Two steps in one rename: a machine without the file asks itself, and gets no answer.
replace_list() { remove "$list.fleet-new" && "$@" "$list.fleet-new" && move "$list.fleet-new" "$list"; }

# use_stub: the machine's programs ask systemd-resolved again; it continues with the servers of the file that was there. Where it
# cannot run, that file stays: it is all by which the machine finds names.
use_stub() {
  is_stub && return 0
  has_resolved || systemctl start systemd-resolved || return 1
  if to_stub; then changed=yes; else restore_list; return 1; fi
}
to_stub() {
  kept=
  back_up && replace_list link_to "../$stub" && systemctl restart systemd-resolved && is_stub || return 1
  [ ! -f "$kept" ] || keep_uplink "$kept"
}

# restore_list: after a link that was not the end of it.
restore_list() { [ -z "${backup-}" ] || replace_list cp -pPT -- "$backup"; }

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

# is_other_server TEXT: where Fleet wants none, a file of this name that it did not write is the machine's own.
is_other_server() {
  if [ -z "$1" ] && [ -s "$other_server" ] && [ "$(head -n 1 "$other_server")" != "$written" ]; then return 0; fi
  is "$1" "$other_server" 644
}

# resolver_files STATE DROP_IN OTHER_SERVER: their texts, empty for none.
resolver_files() {
  keep "$1" "$folder/fleet.dns-link" 600 || return 1
  if ! is "$2" "$drop_in" 644; then keep "$2" "$drop_in" 644 && systemctl daemon-reload || return 1; fi
  if ! is_other_server "$3"; then
    keep "$3" "$other_server" 644 && systemctl restart systemd-resolved || return 1
  fi
}

# keep_uplink FILE: a machine whose servers were in its /etc/resolv.conf has none any more once that is a link.
keep_uplink() {
  earlier=$1
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
