# settle the tunnel
# Arguments: after those of tunnel.sh, the text of the hook, then the tunnel, then the resolver. Standard input: the
# configuration but its first lines.
hook=$1
shift
kind=$1 bytes=$2 address=$3 port=$4 seconds=$5 first=$6
shift 6
keeper=$1 server=$2 domains=$3 default=$4 state=$5 unit_text=$6 other=$7 strict=$8 on_foreign=$9
changed=no

# whole: the configuration with the lines that only the machine can write.
whole() { printf '%s\n[Interface]\nPrivateKey = %s\n%sx' "$written" "$key" "$text"; }

# take BYTES: standard input in text, whole or not at all. The last characters of a file survive no $(...) without a guard.
take() {
  text=$(cat; printf x)
  text=${text%x}
  [ "${#text}" -eq "$1" ] || refuse incomplete
}

take "$bytes"
tools
hold
own || refuse key_missing
if [ "$keeper" != keep ]; then own_state "$on_foreign" || refuse state_unsupported; fi
if [ "$keeper" = line ]; then command -v resolvconf >/dev/null || refuse state_unsupported; fi
conf=$(whole)
conf=${conf%x}
file=$folder/fleet.conf last=$folder/fleet.conf.previous

# Files first, each whole or as it was: a machine that stops in the middle comes up with the new list or the old one.
keep "$hook" "$folder/fleet.hook" 700 || refuse write_failed
if [ "$keeper" != keep ]; then
  keep_uplink "$root/etc/.resolv.conf.systemd-resolved.bak"
  resolver_files "$state" "$unit_text" "$other" || [ "$strict" = no ] || refuse write_failed
fi
before=$(was "$file")
before=${before%x}
if ! is "$conf" "$file" 600; then
  # The last one that worked; one that never did must not take its place.
  kept=no
  if [ "$kind" = peer ] && [ -n "$before" ] && [ ! -e "$last" ]; then
    kept=yes
    printf '%s' "$before" | put 600 "$last" || refuse write_failed
  fi
  if ! keep "$conf" "$file" 600; then
    [ "$kept" = no ] || remove "$last"
    refuse write_failed
  fi
fi
let_go

# has_taker: the port belongs to something else than this tunnel.
has_taker() {
  [ "$(wg show "$link" listen-port)" != "$port" ] && [ -n "$(ss -H -l -n -u "sport = :$port")" ]
}

# rival: the first other link that has an address in the range to which this tunnel leads.
rival() {
  range=$(printf '%s' "$conf" | sed -n 's/^AllowedIPs = //p')
  if [ "$kind" != peer ]; then range=$address; fi
  ip -4 -o address show to "$range" | awk -v own="$link" '$2 != own { print $2; exit }'
}

# back REASON: what was before runs again.
back() {
  reason=$1
  if [ "$reason" != start_failed ]; then :
  elif has_taker; then reason=port_taken
  else
    taker=$(rival)
    if [ -n "$taker" ]; then
      reason=range_taken
      field link "$taker"
    fi
  fi
  earlier=$before
  if [ "$kind" = peer ]; then earlier=$(was "$last"); earlier=${earlier%x}; fi
  if [ -n "$earlier" ] && [ "$earlier" != "$conf" ]; then
    printf '%s' "$earlier" | put 600 "$file" && remove "$last"
    text=$(printf '%s' "$earlier" | sed '1,3d'; printf x)
    text=${text%x}
    if [ "$kind" = peer ]; then start; else adjust || start; fi
  fi
  refuse "$reason"
}

# adjust: a running tunnel, without a restart.
adjust() {
  has_link || return 1
  changes=$(differences "$first") || return 1
  [ "$(wg show "$link" listen-port)" = "$port" ] || changes="listen-port $port $changes"
  [ -z "$changes" ] && return 0
  changed=yes
  # shellcheck disable=SC2086 # Several words.
  wg set "$link" $changes
}

if ! boots; then
  changed=yes
  systemctl enable "$unit" || back start_failed
  flush_links "$root/etc/systemd/system" multi-user.target
fi
if ! serves || { [ "$kind" = peer ] && [ "$(applied)" != "$(printf '%s' "$conf" | sum)" ]; }; then
  changed=yes
  start || back start_failed
else
  adjust || back start_failed
fi

left=$((seconds * 5))
until [ "$left" -eq 0 ] || wg show "$link" latest-handshakes | awk '$2 > 0 { found = 1 } END { exit !found }'; do
  left=$((left - 1))
  [ "$left" -gt 0 ] || back handshake_failed
  sleep 0.2
done
remove "$last"

if [ "$keeper" != keep ]; then
  hold
  use_stub || [ "$strict" = no ] || refuse dns_failed
  if ! points; then
    changed=yes
    aim || [ "$strict" = no ] || refuse dns_failed
  fi
fi
field changed "$changed"
