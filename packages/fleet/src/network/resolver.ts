import type { ErrorCode } from '@fleet/contract'
import { answerOf, resolverReasons } from '#/network/commands/answers.ts'
import { setResolver } from '#/network/commands/resolver.ts'
import { readMembership, requireHub, resolverOf } from '#/network/members.ts'
import type { PublishParts } from '#/network/publish.ts'
import type { Machine } from '#/nodes/api.ts'

const RESOLVER_SECONDS = 60

/**
 * The resolver of a machine with a running tunnel as its Node should have it (NODE-065, NODE-066, NODE-130 to NODE-132).
 * True when something was not so. Throws `vpn.*` codes; `broken` is that of an answer which is none.
 */
export async function applyResolver(
  parts: PublishParts,
  machine: Machine,
  isManaged: boolean,
  broken: ErrorCode = 'vpn.peer_dns_apply_failed',
): Promise<boolean> {
  const membership = await readMembership(parts)
  const plan = resolverOf(membership, requireHub(membership), machine.node, isManaged)
  const result = await machine.asRoot(setResolver(parts.root, plan), { timeoutSeconds: RESOLVER_SECONDS })
  return answerOf(machine.node, result, 'changed', { reasons: resolverReasons, broken }) === 'yes'
}
