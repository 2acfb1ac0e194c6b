# set the resolver of the tunnel
# Arguments: after those of tunnel.sh, the text of the hook, then the resolver and what becomes of a foreign state.
hook=$1
shift
keeper=$1 server=$2 domains=$3 default=$4 state=$5 unit_text=$6 other=$7 on_foreign=$8
changed=no
tools
hold
own || refuse key_missing
file=$folder/fleet.conf
[ ! -e "$folder/fleet.conf.previous" ] || refuse recovery_pending
own_state "$on_foreign" || refuse state_unsupported
case $keeper in
  line) command -v resolvconf >/dev/null ;;
  none) has_resolved || command -v resolvconf >/dev/null ;;
  *) has_resolved ;;
esac || refuse state_unsupported
has_link || refuse link_missing
# Neither root nor a rename changes a list that its operator made immutable.
is_stub || case $(lsattr -d -- "$list" 2>/dev/null | cut -d ' ' -f 1) in *i*) refuse list_immutable ;; esac

# The DNS line alone changes: the rest of the configuration is what the tunnel was tried with.
if [ "$keeper" = line ]; then line="DNS = $server"; else line=; fi
before=$(was "$file")
before=${before%x}
conf=$(printf '%s' "$before" | awk -v line="$line" '
  /^DNS *=/ { next }
  { print }
  /^ListenPort *=/ && line != "" { print line }'; printf x)
conf=${conf%x}
case $before in "$written
[Interface]
PrivateKey = $key
"*) ;; *) refuse candidate_invalid ;; esac
if ! is "$conf" "$file" 600; then
  candidate=$folder/fleet-new.conf
  printf '%s' "$conf" | put 600 "$candidate" && wg-quick strip "$candidate" | grep -q '^PublicKey = '
  tried=$?
  remove "$candidate"
  [ "$tried" = 0 ] || refuse candidate_invalid
fi

earlier_state=$(was "$folder/fleet.dns-link") earlier_unit=$(was "$drop_in") earlier_other=$(was "$other_server")
earlier_dns=$(live dns) earlier_domains=$(live domain) earlier_default=$(live default-route)

apply() {
  [ "$keeper" = none ] || keep_uplink "$root/etc/.resolv.conf.systemd-resolved.bak"
  keep "$hook" "$folder/fleet.hook" 700 && keep "$conf" "$file" 600 \
    && resolver_files "$state" "$unit_text" "$other" || return 1
  use_stub || return 1
  # Without systemd-resolved nothing reports whom the machine asks.
  if points && { [ "$keeper" != none ] || has_resolved; }; then return 0; fi
  changed=yes
  aim
}

restore() {
  keep "$before" "$file" 600 \
    && resolver_files "${earlier_state%x}" "${earlier_unit%x}" "${earlier_other%x}" && restore_list || return 1
  if [ -z "$earlier_dns" ]; then resolvectl revert "$link"
  else point "$earlier_dns" "$earlier_domains" "$earlier_default"; fi
}

if ! apply; then
  restore || refuse recovery_failed
  refuse apply_failed
fi
field changed "$changed"
