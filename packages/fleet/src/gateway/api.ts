import type { HandlersOf } from '#/handler.ts'
import { makeSshKey, type SshKeyParts } from './ssh-key.ts'
import { type StatusParts, makeStatus } from './status.ts'
import { type TrustParts, makeTrust } from './trust.ts'

/** What the gateway says of itself: status and trust without an identity (GW-006), its public SSH key to every Node. */
export const makeGatewayFacts = (
  parts: StatusParts & TrustParts & SshKeyParts,
): { readonly handlers: HandlersOf<'gateway:status' | 'gateway:trust' | 'gateway:ssh-key'> } => ({
  handlers: {
    'gateway:status': makeStatus(parts),
    'gateway:trust': makeTrust(parts),
    'gateway:ssh-key': makeSshKey(parts),
  },
})
