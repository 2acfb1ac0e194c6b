import type { Database } from '@fleet/store'
import { findLimit } from '#/firewall/callers/limit.ts'
import { callersQuestion, type CallersView } from '#/firewall/commands/limit-callers.ts'
import type { ManagedFacts } from '#/firewall/managed/table.ts'
import { asked, type Check, type Finding, nodeResource, type NodeRecord } from '#/nodes/api.ts'

/** Whether the machine limits its callers as stored; none for a Node without a limit. */
export async function callerChecks(
  db: Database,
  node: NodeRecord,
  facts: Pick<ManagedFacts, 'gatewayAddress'>,
): Promise<readonly Check[]> {
  const limit = await findLimit(db, node, facts)
  if (!limit) return []
  return [
    asked('firewall.callers_mismatch', nodeResource(node), callersQuestion(limit), (view) =>
      compareCallers(limit.accounts.length, view),
    ),
  ]
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
