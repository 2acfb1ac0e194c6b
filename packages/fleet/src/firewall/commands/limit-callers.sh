# limit who may call the gateway
# Arguments: after that of callers.sh, `limited` or `open`, address and port of the gateway, accounts separated by spaces.
how=$1 address=$2 port=$3 names=$4
if ! command -v nft >/dev/null; then
  [ "$how" = open ] || refuse absent
  field unknown ''
  exit 0
fi

if [ "$how" = open ]; then
  if [ -e "$unit_file" ] || [ -e "$file" ]; then
    systemctl disable --quiet --now "$unit"
    remove "$unit_file" && remove "$file" && systemctl daemon-reload || refuse write_failed
  fi
  if [ -n "$(live)" ]; then nft delete table inet fleet_callers || refuse load_failed; fi
  [ -z "$(live)" ] || refuse unverified
  field unknown ''
  exit 0
fi

read_accounts
if [ -n "$unknown" ]; then
  field unknown "${unknown% }"
  exit 0
fi
(umask 022; make_folder "$root/etc/fleet") || refuse write_failed
if [ "$(table_text)" != "$(cat "$file")" ]; then
  # The file is what the next boot loads.
  table_text | nft -c -f - || refuse load_failed
  table_text | put 600 "$file" || refuse write_failed
fi
if [ "$(unit_text)" != "$(cat "$unit_file")" ]; then
  unit_text | put 644 "$unit_file" || refuse write_failed
  systemctl daemon-reload || refuse enable_failed
fi
if ! systemctl is-enabled --quiet "$unit"; then
  systemctl enable --quiet "$unit" && flush_links "$root/etc/systemd/system" sysinit.target || refuse enable_failed
fi
if ! limits "$(live)"; then nft -f "$file" || refuse load_failed; fi
limits "$(live)" || refuse unverified
field unknown ''
