# inspect the tunnel of the hub
PATH=$PATH:/usr/sbin:/sbin
if wg show fleet public-key >/dev/null; then field up yes; else field up no; fi
if systemctl is-enabled --quiet wg-quick@fleet.service; then field boots yes; else field boots no; fi
field peers "$(wg show fleet allowed-ips | awk '{ k = $1; $1 = ""; sub(/^[ \t]+/, ""); gsub(/[ \t]+/, ","); print k " " $0 }')"
