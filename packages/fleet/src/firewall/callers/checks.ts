import type { Database } from '@fleet/store'
import { findLimit } from '#/firewall/callers/limit.ts'
import { callersQuestion, type CallersView } from '#/firewall/commands/limit-callers.ts'
import type { ManagedFacts } from '#/firewall/managed/table.ts'
import { asked, type Check, type Finding, nodeResource, type NodeRecord } from '#/nodes/api.ts'

/** Whether the machine limits its callers as stored, or not at all; none without a gateway to call. */
export async function callerChecks(
  db: Database,
  node: NodeRecord,
  facts: Pick<ManagedFacts, 'gatewayAddress'>,
): Promise<readonly Check[]> {
  const limit = await findLimit(db, node, facts)
  const { gatewayAddress: gateway } = facts
  if (gateway === null) return []
  const free = callersQuestion({ gateway, accounts: null })
  if (!limit) return [asked('firewall.callers_mismatch', nodeResource(node), free, compareUnlimited)]
  return [
    asked('firewall.callers_mismatch', nodeResource(node), callersQuestion(limit), (view) =>
      compareCallers(limit.accounts.length, view),
    ),
  ]
}

/** It may have left the fleet while it did not answer. */
export function compareUnlimited({ isLimited, boots }: CallersView): Finding | undefined {
  const expected = 'every account'
  if (isLimited) return { expected, observed: 'some accounts' }
  return boots ? { expected, observed: 'some accounts after a boot' } : undefined
}

export function compareCallers(
  count: number,
  { unknown, isLimited, isExact, boots }: CallersView,
): Finding | undefined {
  const expected = `root and ${count} accounts`
  if (unknown.length > 0) return { expected, observed: `${unknown.length} accounts are gone` }
  if (!isLimited) return { expected, observed: 'every account' }
  if (!isExact) return { expected, observed: 'other accounts' }
  return boots ? undefined : { expected, observed: 'every account after a boot' }
}
