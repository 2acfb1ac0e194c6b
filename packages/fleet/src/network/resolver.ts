import type { ErrorCode } from '@fleet/contract'
import { setResolver } from '#/network/commands/resolver.ts'
import type { OnForeign } from '#/network/commands/resolver-words.ts'
import { readMembership, requireHub, resolverOf } from '#/network/members.ts'
import type { PublishDeps } from '#/network/publish.ts'
import type { NodeSession } from '#/nodes/api.ts'

export interface ResolverOptions {
  /** Code of an answer which is none; `vpn.peer_dns_apply_failed` when absent. */
  readonly broken?: ErrorCode
  /** `refuse` when absent. */
  readonly onForeign?: OnForeign
}

/**
 * The resolver of a machine with a running tunnel as its Node should have it (NODE-065, NODE-066, NODE-130 to NODE-132).
 * True when something was not so. Throws `vpn.*` codes.
 */
export async function applyResolver(
  deps: PublishDeps,
  session: NodeSession,
  isManaged: boolean,
  { broken = 'vpn.peer_dns_apply_failed', onForeign = 'refuse' }: ResolverOptions = {},
): Promise<boolean> {
  const membership = await readMembership(deps)
  const plan = resolverOf(membership, requireHub(membership), session.node, isManaged)
  return session.ask(setResolver, { root: deps.root, plan, onForeign }, { broken })
}
