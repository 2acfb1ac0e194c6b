import type { DoctorCode, RoleName } from '@fleet/contract'
import { type ActiveFirewall, type CheckDeps, weaknessOf, whenActive } from '#/firewall/checks/firewall.ts'
import { firewallQuestion } from '#/firewall/checks/question.ts'
import { matchOf } from '#/firewall/checks/rule-match.ts'
import { managedComment } from '#/firewall/comments.ts'
import type { ManagedName } from '#/firewall/managed/names.ts'
import type { ManagedFacts } from '#/firewall/managed/table.ts'
import { ROLE_RULE_NAMES, ROLE_RULES } from '#/firewall/managed/table.ts'
import { activeRoles } from '#/firewall/queries.ts'
import { hasFirewall } from '#/firewall/require.ts'
import {
  asked,
  type Check,
  type CheckedResource,
  type FamilyChecks,
  type Finding,
  type NodeRecord,
} from '#/nodes/api.ts'

/** The firewall's part of the family `role`: the rules of each active role are as the role needs them (DRF-034). */
export const makeProjectionChecks = ({ db, readFacts }: CheckDeps): FamilyChecks => ({
  family: 'role',
  checksOf: async (_call, node) => {
    if (!hasFirewall(node)) return []
    const facts = await readFacts(node)
    const roles = await activeRoles(db, node.id)
    return roles.flatMap(({ id, role }) => {
      if (ROLE_RULE_NAMES[role].length === 0) return []
      const resource = { type: 'role', id, name: role }
      return asked('role.firewall_projection_mismatch', resource, firewallQuestion, (state) =>
        whenActive(state, (active) => inexact(active, facts, role)),
      )
    })
  },
})

/** For the domains whose visitors come through the rules of a role: a firewall that is off or does not last is a finding, too. */
export async function roleCheck(
  { readFacts }: CheckDeps,
  { code, resource, node, role }: RoleCheck,
): Promise<readonly Check[]> {
  if (!hasFirewall(node)) return []
  const facts = await readFacts(node)
  return [
    asked(
      code,
      resource,
      firewallQuestion,
      (state) => weaknessOf(state) ?? whenActive(state, (active) => inexact(active, facts, role)),
    ),
  ]
}

export interface RoleCheck {
  readonly code: DoctorCode
  readonly resource: CheckedResource
  readonly node: NodeRecord
  readonly role: RoleName
}

function inexact(active: ActiveFirewall, facts: ManagedFacts, role: RoleName): Finding | undefined {
  const names: readonly ManagedName[] = ROLE_RULE_NAMES[role]
  const wanted = ROLE_RULES[role](facts)
  const wrong = names.filter((name) => {
    const rules = wanted.filter((rule) => rule.name === name).map(({ rule }) => rule)
    return matchOf(active, managedComment(name), rules) !== 'exact'
  })
  return wrong.length === 0 ? undefined : { expected: 'exact', observed: `not exact: ${wrong.join(', ')}` }
}
