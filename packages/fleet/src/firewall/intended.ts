import type { Database } from '@fleet/store'
import type { ReadFacts } from '#/firewall/facts.ts'
import { managedRulesOf } from '#/firewall/managed/table.ts'
import { listRulesOf } from '#/firewall/queries.ts'
import { operatorRule, stateOf } from '#/firewall/rules.ts'
import type { UfwRule } from '#/firewall/ufw/rule.ts'
import type { NodeRecord } from '#/nodes/api.ts'

/** Every rule of the fleet that the records want on a Node, Fleet's own before those of operators. */
export async function intendedRules(
  db: Database,
  readFacts: ReadFacts,
  node: NodeRecord,
): Promise<readonly UfwRule[]> {
  const managed = managedRulesOf(await readFacts(node), node.activeRoles)
  const stored = await listRulesOf(db, node.id)
  const desired = stored.filter((rule) => stateOf(rule).isDesired)
  return [...managed.map(({ rule }) => rule), ...desired.map((rule) => operatorRule(node.id, rule))]
}
