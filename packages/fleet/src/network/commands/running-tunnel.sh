# Over $text, the desired configuration, and the tunnel as it runs: which peers differ, and how to change these alone.

# wanted, running: lines of a word for what is told, the key of a peer, and a value.
wanted() {
  printf '%s' "$text" | awk '
    $1 == "PublicKey" { k = $3 }
    $1 == "AllowedIPs" { print "wanted " k " " $3 }
    $1 == "Endpoint" { print "endpoint " k " " $3 }
    $1 == "PersistentKeepalive" { print "keepalive " k " " $3 }'
}
running() {
  wg show "$link" allowed-ips | awk '{ k = $1; $1 = ""; sub(/^[ \t]+/, ""); gsub(/[ \t]+/, ","); print "runs " k " " $0 }'
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

# serves: the running tunnel has this machine's key and this address.
serves() {
  has_link && [ "$(wg show "$link" public-key)" = "$public" ] \
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
