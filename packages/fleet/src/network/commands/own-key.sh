# make the key of the tunnel
# Arguments: after those of tunnel.sh, the public key by which the hub knows this machine, empty for none, those of other
# Nodes, by spaces, and `make` or, where no new key may be made, `keep`. Of the keys that are here the known one is kept, else the stored one, that of an earlier configuration,
# that of the running tunnel: a machine that comes back is the member it was, and nobody loses the tunnel that he came over.
# A key of another Node is passed over: this machine is a copy of that one, and two with one key take the tunnel from each other.
known=$1
others=$2
tools
hold
# A tunnel of somebody else under the name of Fleet's: its file would be replaced, and its key taken.
if [ -s "$folder/fleet.conf" ] && [ "$(head -n 1 "$folder/fleet.conf")" != "$written" ]; then refuse conf_foreign; fi
directory 700 "$folder" || refuse key_missing
stored=$(cat "$folder/fleet.key")
earlier=$(sed -n 's/^PrivateKey *= *//p' "$folder/fleet.conf" | head -n 1)
running=
if has_link; then running=$(wg show "$link" private-key | sed '/^(none)$/d'); fi
key=
for candidate in "$stored" "$earlier" "$running"; do
  [ -n "$candidate" ] && public=$(printf '%s\n' "$candidate" | wg pubkey) && [ -n "$public" ] || continue
  case " $others " in *" $public "*) continue ;; esac
  [ -n "$key" ] || key=$candidate
  if [ "$public" = "$known" ]; then key=$candidate; break; fi
done
if [ -z "$key" ]; then
  [ "$3" = make ] || refuse key_lost
  key=$(wg genkey)
fi
if [ "$key" != "$stored" ] || [ -L "$folder/fleet.key" ]; then
  [ -n "$key" ] && printf '%s\n' "$key" | put 600 "$folder/fleet.key" || refuse key_missing
fi
chmod 600 "$folder/fleet.key"
own || refuse key_missing
field public_key "$public"
