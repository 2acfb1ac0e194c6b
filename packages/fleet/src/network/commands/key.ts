import { MalformedOutput, programOf, textFile } from '@fleet/shell'
import { TUNNEL } from '#/network/commands/library.ts'
import { keyReasons } from '#/network/commands/reasons.ts'
import type { NodeScript } from '#/nodes/api.ts'

export interface KeyRequest {
  readonly root: string
  /** Public key by which the hub knows the machine; null before it is a member. */
  readonly known: string | null
  /** Public keys of other Nodes, none of which it keeps. */
  readonly others: readonly string[]
  /** Other Nodes know the machine by its key alone, so that it gets no other one unasked. */
  readonly isKnownByOthers?: boolean
}

/**
 * Makes the tunnel's private key at /etc/wireguard/fleet.key unless there is one, and answers the public key. The key that
 * the hub knows is kept wherever it still is: in its file, in an earlier configuration or in the running tunnel (NODE-097); a copy of another Node's machine gets
 * a key of its own.
 */
export const ownKey: NodeScript<KeyRequest, string> = {
  source: programOf(textFile('own-key.sh', import.meta.url), ...TUNNEL),
  args: ({ root, known, others, isKnownByOthers = false }) => [
    root,
    known ?? '',
    others.join(' '),
    isKnownByOthers ? 'keep' : 'make',
  ],
  shown: ({ root }) => (root === '' ? [] : [root]),
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
