import type { ErrorCode } from '@fleet/contract'
import { setResolver } from '#/network/commands/resolver.ts'
import { readMembership, requireHub, resolverOf } from '#/network/members.ts'
import type { PublishParts } from '#/network/publish.ts'
import type { NodeSession } from '#/nodes/api.ts'

/**
 * The resolver of a machine with a running tunnel as its Node should have it (NODE-065, NODE-066, NODE-130 to NODE-132).
 * True when something was not so. Throws `vpn.*` codes; `broken` is that of an answer which is none.
 */
export async function applyResolver(
  parts: PublishParts,
  session: NodeSession,
  isManaged: boolean,
  broken: ErrorCode = 'vpn.peer_dns_apply_failed',
): Promise<boolean> {
  const membership = await readMembership(parts)
  const plan = resolverOf(membership, requireHub(membership), session.node, isManaged)
  return session.ask(setResolver, { root: parts.root, plan }, { broken })
}
