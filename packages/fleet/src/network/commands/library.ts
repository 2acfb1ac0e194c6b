import { ROOT_FILES } from '@fleet/shell'
import { HOOK } from '#/network/commands/hook.ts'

/** Of every tunnel file that Fleet writes; what does not begin so is somebody else's. */
export const WRITTEN = '# Written by Fleet. Changes made here are replaced.'

/**
 * What the scripts of the tunnel start with. `$1` is the machine's root folder, empty but in tests.
 * A script answers in fields: `refused REASON` alone, or what it was asked for.
 */
export const TUNNEL = `${ROOT_FILES}
root=$1
shift
folder=$root/etc/wireguard
link=fleet
unit=wg-quick@fleet.service
written='${WRITTEN}'

# hold: one change of the tunnel or its resolver at a time on this machine.
hold() {
  mkdir -p -- "$root/run/lock"
  exec 9>"$root/run/lock/fleet-wireguard-peer.lock" && flock -w 20 9 || refuse busy
}
let_go() { exec 9>&-; }

tools() { command -v wg >/dev/null && command -v wg-quick >/dev/null || refuse tools_missing; }

# own: the key that makes this machine the member it is.
own() {
  [ "$(owned "$folder/fleet.key")" = 600 ] || return 1
  key=$(cat "$folder/fleet.key") && public=$(wg pubkey <"$folder/fleet.key") && [ -n "$public" ]
}

# is TEXT PATH MODE: the file has exactly this text and is root's; an empty text means that there is none.
is() {
  if [ -z "$1" ]; then
    [ ! -e "$2" ] && [ ! -L "$2" ]
  else
    [ "$(sound "$3" "$2")" = "$(printf '%s' "$1" | sha256sum | cut -c 1-64)" ]
  fi
}

# keep TEXT PATH MODE: makes it so and notes in changed that it was not; nothing is written that stands there.
keep() {
  is "$1" "$2" "$3" && return 0
  changed=yes
  if [ -z "$1" ]; then rm -f -- "$2"; return; fi
  # Others than root read these folders, such as systemd-resolved.
  (umask 022; mkdir -p -- "\${2%/*}") && printf '%s' "$1" | put "$3" "$2"
}

# take BYTES: standard input in text, whole or not at all. The last characters of a file survive no $(...) without a guard.
take() {
  text=$(cat; printf x)
  text=\${text%x}
  [ "\${#text}" -eq "$1" ] || refuse incomplete
}

# whole: the configuration with the lines that only the machine can write.
whole() { printf '%s\\n[Interface]\\nPrivateKey = %s\\n%sx' "$written" "$key" "$text"; }

# was PATH: its text and an x; an x alone for a file that is not there.
was() { if [ -f "$1" ] && [ ! -L "$1" ]; then cat "$1"; fi; printf x; }

has_link() { wg show "$link" public-key >/dev/null; }

hook_text() {
  cat <<'FLEET_HOOK'
${HOOK}FLEET_HOOK
}
hook=$(hook_text; printf x)
hook=\${hook%x}
`

/** Over `$text`, the wanted configuration, and the tunnel as it runs: which peers differ, and how to change these alone. */
export const RUNNING = `
# wanted, running: lines of a word for what is told, the key of a peer, and a value.
wanted() {
  printf '%s' "$text" | awk '
    $1 == "PublicKey" { k = $3 }
    $1 == "AllowedIPs" { print "wanted " k " " $3 }
    $1 == "Endpoint" { print "endpoint " k " " $3 }
    $1 == "PersistentKeepalive" { print "keepalive " k " " $3 }'
}
running() {
  wg show "$link" allowed-ips | awk '{ k = $1; $1 = ""; sub(/^[ \\t]+/, ""); gsub(/[ \\t]+/, ","); print "runs " k " " $0 }'
  wg show "$link" endpoints | awk '$2 != "(none)" { print "found " $1 " yes" }'
}

# differences KEY: words for wg set. Those that go come first, so that an address is free before another key gets it. To a
# peer that this machine cannot find, but the one with the key, it speaks at once, as turning the keepalive on does: one that
# was here before does not know that it was forgotten, and for up to three minutes would send only what nobody can read.
differences() {
  { wanted; running; } | awk -v first="$1" '
    { told[$1, $2] = $3; if ($1 == "wanted") wants[$2]; if ($1 == "runs") runs[$2] }
    END {
      for (k in runs) if (!(k in wants)) print "peer " k " remove"
      for (k in wants) {
        words = ""
        if (told["wanted", k] != told["runs", k]) words = " allowed-ips " told["wanted", k]
        if (k != first && (("endpoint", k) in told) && !(("found", k) in told)) {
          words = words " endpoint " told["endpoint", k] " persistent-keepalive "
          if (("keepalive", k) in told) words = words told["keepalive", k]
          else words = words "25 peer " k " persistent-keepalive 0"
        }
        if (words != "") print "peer " k words
      }
    }'
}

# stands: the running tunnel has this machine's key and this address.
stands() {
  has_link && [ "$(wg show "$link" public-key)" = "$public" ] \\
    && ip -o -4 address show dev "$link" | grep -qF " inet $address "
}

boots() { systemctl is-enabled --quiet "$unit"; }

# applied: digest of the configuration that the running tunnel was started with; the hook notes it.
applied() { cat "$root/run/fleet-wireguard.applied"; }
sum() { grep -v '^DNS = ' | sha256sum | cut -c 1-64; }

start() {
  # One that somebody started by hand would be in the way.
  systemctl is-active --quiet "$unit" || { has_link && wg-quick down "$link"; }
  timeout 90 systemctl restart "$unit" && has_link && return 0
  # A start that waits for a name to resolve would go on waiting.
  timeout 30 systemctl stop "$unit"
  return 1
}
`

/** Over the resolver's wishes: \`$keeper $server $domains $default\`. */
export const RESOLVER = `
sorted() { tr ' ' '\\n' | sort | tr '\\n' ' '; }
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
  resolvectl dns "$link" $1 && resolvectl domain "$link" $2 && resolvectl default-route "$link" "$3"
}

# As wg-quick does it with a DNS line, so that it can take it back.
point_by_line() {
  resolvectl revert "$link"
  printf 'nameserver %s\\n' "$server" | resolvconf -a "$link" -m 0 -x
}

has_resolved() { command -v resolvectl >/dev/null && systemctl is-active --quiet systemd-resolved; }

# foreign: a state of the link that is not Fleet's.
foreign() (
  state=$folder/fleet.dns-link
  [ -e "$state" ] || [ -L "$state" ] || exit 1
  [ -n "$(digest "$state")" ] && [ "$(head -n 1 "$state")" = "$written" ] && exit 1
  exit 0
)

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
  awk -v own="$server" '$1 == "nameserver" && $2 != own { found = 1 } END { exit !found }' \\
    "$root/run/systemd/resolve/resolv.conf" && return 0
  servers=$(awk '$1 == "nameserver" && $2 !~ /^127\\./ && $2 != "::1" { printf "%s ", $2 }' "$earlier")
  [ -n "$servers" ] || return 0
  keep "$written
[Resolve]
DNS=\${servers% }
" "$root/etc/systemd/resolved.conf.d/fleet-uplink.conf" 644 && systemctl restart systemd-resolved
}
`
