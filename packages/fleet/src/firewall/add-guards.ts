import { fail } from '@fleet/contract'
import { admittedBefore } from '#/firewall/effect.ts'
import type { HandlerDeps } from '#/firewall/deps.ts'
import { findOpposite, findRule, rolesOn, type RuleRecord } from '#/firewall/queries.ts'
import { closedBy, hasSameValues, type WantedRule } from '#/firewall/rules.ts'
import { managedRulesOf } from '#/firewall/managed/table.ts'
import { isManagedName } from '#/firewall/managed/names.ts'
import type { NodeRecord } from '#/nodes/api.ts'

/**
 * The stored rule of the identical request, or undefined. Throws `firewall.public_ssh_deny_forbidden`,
 * `firewall.deny_without_effect` for a denial behind a rule of Fleet that admits all that it names,
 * `firewall.name_taken`, also for a name of Fleet's own rules (FW-015), and `firewall.action_conflict`.
 */
export async function addGuards(
  { store: { db }, readFacts }: HandlerDeps,
  node: NodeRecord,
  wanted: WantedRule,
): Promise<RuleRecord | undefined> {
  const facts = await readFacts(node)
  const closes = closedBy(wanted, node, { ...facts, roles: await rolesOn(db, node.id) })
  if (closes) throw fail('firewall.public_ssh_deny_forbidden', { details: { closes } })
  const admitting = admittedBefore(wanted, managedRulesOf(facts, node.activeRoles), facts.tunnelRange)
  if (admitting)
    throw fail('firewall.deny_without_effect', { details: { admitted_by: { name: admitting.name } } })
  if (isManagedName(wanted.name))
    throw fail('firewall.name_taken', { message: 'A rule of Fleet itself already has this name.' })
  const stored = await findRule(db, node.id, wanted.name)
  if (stored && !hasSameValues(stored, wanted)) throw fail('firewall.name_taken')
  const opposite = await findOpposite(db, node.id, wanted)
  if (opposite) throw fail('firewall.action_conflict', { details: { rule: { name: opposite.name } } })
  return stored
}
