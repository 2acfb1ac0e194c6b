# Who on the machine may call the gateway, over $address and $port of the gateway and $names of accounts. The first argument
# is the root folder of the machine, empty but in tests.
root=$1
shift
file=$root/etc/fleet/callers.nft
unit=fleet-callers.service
unit_file=$root/etc/systemd/system/$unit

# read_accounts: the rules of the accounts in outgoing and passing, and in unknown those that the machine does not know.
read_accounts() {
  numbers=0 unknown=
  for name in $names; do
    if number=$(id -u -- "$name"); then numbers="$numbers $number"; else unknown="$unknown$name "; fi
  done
  numbers=$(echo "$numbers" | tr ' ' '\n' | sort -nu | paste -sd , - | sed 's/,/, /g')
  case $numbers in *,*) numbers="{ $numbers }" ;; esac
  to="ip daddr $address tcp dport $port"
  outgoing="$to meta skuid != $numbers reject with tcp reset"
  # What a container sends has no account. On the hub, packets of other members pass through.
  passing="iifname != \"fleet\" $to reject with tcp reset"
}

# table_text: replaces the table as a whole, also where there is none yet.
table_text() {
  cat <<END
# Written by Fleet. Changes made here are replaced.
table inet fleet_callers
delete table inet fleet_callers
table inet fleet_callers {
  chain outgoing {
    type filter hook output priority 0; policy accept;
    $outgoing
  }
  chain passing {
    type filter hook forward priority 0; policy accept;
    $passing
  }
}
END
}

# live: what the kernel has, in one line; nothing without a limit.
live() { nft list table inet fleet_callers | tr -s ' \t\n' ' '; }

limits() { case $1 in *"$outgoing"*"$passing"*) return 0 ;; esac; return 1; }

unit_text() {
  cat <<END
# Written by Fleet. Changes made here are replaced.
[Unit]
Description=Accounts that may call the gateway of the fleet
DefaultDependencies=no
After=local-fs.target nftables.service
Before=network-pre.target shutdown.target
Wants=network-pre.target
Conflicts=shutdown.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/nft -f /etc/fleet/callers.nft

[Install]
WantedBy=sysinit.target
END
}
