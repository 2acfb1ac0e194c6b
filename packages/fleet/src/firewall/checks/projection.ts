import { type CheckParts, hasFirewall, whenActive } from '#/firewall/checks/firewall.ts'
import { firewallQuestion } from '#/firewall/checks/question.ts'
import { matchOf } from '#/firewall/checks/rule-match.ts'
import { managedComment } from '#/firewall/comments.ts'
import type { ManagedName } from '#/firewall/managed/names.ts'
import { ROLE_RULE_NAMES, ROLE_RULES } from '#/firewall/managed/table.ts'
import { activeRoles } from '#/firewall/queries.ts'
import { asked, type FamilyChecks } from '#/nodes/api.ts'

/** The firewall's part of the family `role`: the rules of each active role are as the role needs them (DRF-034). */
export const makeProjectionChecks = ({ db, readFacts }: CheckParts): FamilyChecks => ({
  family: 'role',
  checksOf: async (_call, node) => {
    if (!hasFirewall(node)) return []
    const facts = await readFacts(node)
    const roles = await activeRoles(db, node.id)
    return roles.flatMap(({ id, role }) => {
      const names: readonly ManagedName[] = ROLE_RULE_NAMES[role]
      if (names.length === 0) return []
      const wanted = ROLE_RULES[role](facts)
      const resource = { type: 'role', id, name: role }
      return asked('role.firewall_projection_mismatch', resource, firewallQuestion, (state) =>
        whenActive(state, (active) => {
          const wrong = names.filter((name) => {
            const rules = wanted.filter((rule) => rule.name === name).map(({ rule }) => rule)
            return matchOf(active, managedComment(name), rules) !== 'exact'
          })
          return wrong.length === 0
            ? undefined
            : { expected: 'exact', observed: `not exact: ${wrong.join(', ')}` }
        }),
      )
    })
  },
})
