# inspect the tunnel
# Arguments: those of tunnel.sh. It changes nothing.
PATH=$PATH:/usr/sbin:/sbin
if has_link; then field up yes; else field up no; fi
if systemctl is-enabled --quiet "$unit"; then field boots yes; else field boots no; fi
field peers "$(wg show "$link" allowed-ips | awk '{ k = $1; $1 = ""; sub(/^[ \t]+/, ""); gsub(/[ \t]+/, ","); print k " " $0 }')"
# The next start reads these files alone.
key='' public=''
own || public=''
field public_key "$public"
# The lines that only the machine can write, and the resolver's, are left out of the digest.
configuration() {
  [ -n "$(sound 600 "$folder/fleet.conf")" ] && [ -n "$key" ] \
    && [ "$(sed -n 3p "$folder/fleet.conf")" = "PrivateKey = $key" ] || return
  sed 3d "$folder/fleet.conf" | sed '/^DNS = /d' | sha256sum | cut -c 1-64
}
field configuration "$(configuration)"
field hook "$(sound 700 "$folder/fleet.hook")"
# While a change waits for the hub its machine keeps this file; a change ends within 3 minutes.
if [ -n "$(find "$folder/fleet.conf.previous" -mmin +5)" ]; then field unfinished yes; else field unfinished no; fi
