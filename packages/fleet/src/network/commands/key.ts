import { type Command, script } from '@fleet/shell'
import { TUNNEL } from '#/network/commands/library.ts'

/**
 * Makes the tunnel's private key at /etc/wireguard/fleet.key unless there is one, and answers `public_key`. One of an earlier
 * configuration is taken over, so that a machine that comes back is the member it was (NODE-097).
 */
export const ownKey = (root: string): Command => script(OWN_KEY, root)

const OWN_KEY = `# make the key of the tunnel
${TUNNEL}
tools
hold
directory 700 "$folder" || refuse key_missing
if [ ! -s "$folder/fleet.key" ]; then
  key=$(sed -n 's/^PrivateKey *= *//p' "$folder/fleet.conf" | head -n 1)
  [ -n "$key" ] || key=$(wg genkey)
  [ -n "$key" ] && printf '%s\\n' "$key" | put 600 "$folder/fleet.key" || refuse key_missing
fi
chmod 600 "$folder/fleet.key"
own || refuse key_missing
field public_key "$public"
`
