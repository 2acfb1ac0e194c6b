# write firewall rules
# Arguments: after that of firewall-state.sh, `files`, `load` or `enable`, digest and size of the rules for IPv4, then for IPv6
# or `-`, the tunnel's address or `-`, and its port or the public ports. Standard input: the rules of IPv4, then of IPv6.
# UFW itself writes into the file that stands, so that a full disk leaves half a rules file, and with it a machine that lets
# nobody in after its next start. Here a candidate is complete, on the disk and accepted by the kernel first.
how=$2 before4=$3 size4=$4 before6=$5 size6=$6 address=$7 port=$8

digest_or_missing() { if [ -f "$1" ]; then sha256sum <"$1" | cut -c 1-64; else echo missing; fi; }
why() {
  case $1 in
    *'Read-only file system'*) echo storage_read_only ;;
    *'No space left'* | *[Qq]'uota exceeded'*) echo storage_full ;;
    *) echo write_failed ;;
  esac
}
candidate() { echo "$folder/.fleet-user$1.rules"; }
discard() { rm -f -- "$(candidate '')" "$(candidate 6)" "$folder/.fleet-setting" && flush "$folder"; }

# A candidate takes its part of standard input, with the mode that UFW gives.
take() {
  problem=$(head -c "$2" 2>&1 >"$(candidate "$1")") || refuse "$(why "$problem")"
  [ "$(wc -c <"$(candidate "$1")")" -eq "$2" ] || refuse content_incomplete
  chmod 640 "$(candidate "$1")" && flush "$(candidate "$1")" || refuse write_failed
  "ip$1tables-restore" --noflush --test <"$(candidate "$1")" || has_no_kernel "$1" || refuse rules_refused
}
has_no_kernel() { ! "ip$1tables" -S INPUT >/dev/null; }
# Unflushed "$(candidate "$1")", "$folder/user$1.rules": one flush of the folder follows the files of both families.
exchange() { mv -f -- "$(candidate "$1")" "$folder/user$1.rules" || refuse write_failed; }
# The kernel takes all lines of a family at once or none, so there is no moment with half of the rules.
load() { "ip$1tables-restore" --noflush <"$folder/user$1.rules" || has_no_kernel "$1" || refuse load_failed; }

# Rewrites one line of a settings file that UFW reads with a shell.
set_line() {
  [ "$(setting "$1" "$2")" = "$3" ] && return
  problem=$({
    if grep -q "^$2=" "$1"; then sed "s/^$2=.*/$2=$3/" "$1"; else cat "$1" && echo "$2=$3"; fi
  } 2>&1 >"$folder/.fleet-setting") || refuse "$(why "$problem")"
  chmod 644 "$folder/.fleet-setting" && flush "$folder/.fleet-setting" && move "$folder/.fleet-setting" "$1" ||
    refuse write_failed
}

# Address and port of this machine at which the session of this very script came in; sudo hides the variable from it.
came_in_at() {
  process=$$
  while [ "$process" -gt 1 ]; do
    found=$(tr '\0' '\n' <"/proc/$process/environ" | sed -n 's/^SSH_CONNECTION=[^ ]* [^ ]* //p')
    if [ -n "$found" ]; then echo "$found"; return; fi
    process=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$process/status")
  done
}
answers_ssh() {
  python3 -c 'import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2])), 5) as way:
    way.settimeout(5)
    sys.exit(0 if way.recv(4) == b"SSH-" else 1)' "$address" "$port"
}
prove_tunnel() {
  [ "$(came_in_at)" = "$address $port" ] || refuse not_over_tunnel
  case " $(ip -o address show dev fleet) " in *" $address/"*) ;; *) refuse tunnel_down ;; esac
  answers_ssh || refuse ssh_silent
}
# The port in the records may be one that another machine forwards; the firewall sees the one of sshd.
admits_session() {
  came_in=$(came_in_at)
  if [ -n "$came_in" ]; then
    case ",$port," in *",${came_in##* },"*) ;; *) refuse ssh_port_differs ;; esac
  fi
}

has_ufw || refuse absent
# What has begun comes to its end, whoever hangs up.
trap '' HUP INT PIPE TERM
trap discard EXIT
discard
[ "$(digest_or_missing "$folder/user.rules")" = "$before4" ] || refuse changed
if [ "$before6" != - ]; then [ "$(digest_or_missing "$folder/user6.rules")" = "$before6" ] || refuse changed; fi
if [ "$address" != - ]; then prove_tunnel; fi
if [ "$how" = enable ]; then admits_session; fi

take '' "$size4"
if [ "$before6" != - ]; then take 6 "$size6"; fi
exchange ''
if [ "$before6" != - ]; then exchange 6; fi
flush "$folder" || refuse write_failed

# SSH is admitted in the files by now: turning UFW on cannot shut it out, also not at the next start of the machine.
turn_on() {
  was_running=no did_deny=no
  if is_running; then was_running=yes; fi
  if denies_rest; then did_deny=yes; else set_line "$defaults" DEFAULT_INPUT_POLICY DROP; fi
  set_line "$folder/ufw.conf" ENABLED yes
  # Enabling what is enabled would still have systemd read all of its units again.
  is_enabled || systemctl enable --quiet ufw.service || refuse enable_failed
  if [ "$was_running" = no ]; then
    "$root/lib/ufw/ufw-init" start >/dev/null || refuse enable_failed
  elif [ "$did_deny" = no ]; then
    "$root/lib/ufw/ufw-init" force-reload >/dev/null || refuse enable_failed
  fi
}
if [ "$how" = enable ]; then turn_on; fi
if [ "$how" != files ]; then
  load ''
  if [ "$before6" != - ]; then load 6; fi
fi
show_state
field end yes
