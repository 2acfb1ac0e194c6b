# make the key of the tunnel
# Arguments: those of tunnel.sh. The key of an earlier configuration or of the running tunnel is taken over, so that a
# machine that comes back is the member it was, and nobody loses the tunnel that he came over.
tools
hold
directory 700 "$folder" || refuse key_missing
if [ ! -s "$folder/fleet.key" ]; then
  key=$(sed -n 's/^PrivateKey *= *//p' "$folder/fleet.conf" | head -n 1)
  if [ -z "$key" ] && has_link; then key=$(wg show "$link" private-key | sed '/^(none)$/d'); fi
  [ -n "$key" ] || key=$(wg genkey)
  [ -n "$key" ] && printf '%s\n' "$key" | put 600 "$folder/fleet.key" || refuse key_missing
fi
chmod 600 "$folder/fleet.key"
own || refuse key_missing
field public_key "$public"
