import { MalformedOutput, programOf, textFile } from '@fleet/shell'
import { TUNNEL } from '#/network/commands/library.ts'
import { keyReasons } from '#/network/commands/reasons.ts'
import type { NodeScript } from '#/nodes/api.ts'

/**
 * Makes the tunnel's private key at /etc/wireguard/fleet.key unless there is one, and answers the public key. One of an
 * earlier configuration is taken over, so that a machine that comes back is the member it was (NODE-097).
 */
export const ownKey: NodeScript<{ readonly root: string }, string> = {
  source: programOf(textFile('own-key.sh', import.meta.url), ...TUNNEL),
  args: ({ root }) => [root],
  timeoutSeconds: 60,
  reasons: keyReasons,
  broken: 'vpn.peer_key_failed',
  read: (answer) => {
    const publicKey = answer.text('public_key')
    if (!KEY.test(publicKey)) throw new MalformedOutput('not a public key')
    return publicKey
  },
}

/** 32 bytes in base64. */
const KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/
