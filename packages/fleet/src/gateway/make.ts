import { makeSshKey, type SshKeyDeps } from '#/gateway/ssh-key.ts'
import { makeStatus, type StatusDeps } from '#/gateway/status.ts'
import { makeTrust, type TrustDeps } from '#/gateway/trust.ts'
import type { HandlersOf } from '#/handler.ts'

/** What the gateway says of itself: status and trust without an identity (GW-006), its public SSH key to every Node. */
export const makeGatewayFacts = (
  deps: StatusDeps & TrustDeps & SshKeyDeps,
): { readonly handlers: HandlersOf<'gateway:status' | 'gateway:trust' | 'gateway:ssh-key'> } => ({
  handlers: {
    'gateway:status': makeStatus(deps),
    'gateway:trust': makeTrust(deps),
    'gateway:ssh-key': makeSshKey(deps),
  },
})
