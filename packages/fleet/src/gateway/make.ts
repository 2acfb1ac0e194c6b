import { makeSshKey, type SshKeyParts } from '#/gateway/ssh-key.ts'
import { makeStatus, type StatusParts } from '#/gateway/status.ts'
import { makeTrust, type TrustParts } from '#/gateway/trust.ts'
import type { HandlersOf } from '#/handler.ts'

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
