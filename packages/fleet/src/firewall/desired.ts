import type { RoleName } from '@fleet/contract'
import type { Database } from '@fleet/store'
import { isFleetComment, managedComment, operatorComment } from '#/firewall/comments.ts'
import type { Edit } from '#/firewall/edit.ts'
import type { ReadFacts } from '#/firewall/facts.ts'
import { type LanFacts, stayingLanFacts } from '#/firewall/lan.ts'
import type { ManagedName } from '#/firewall/managed/names.ts'
import { lanRules, managedRulesOf, type NamedRule, ROLE_RULE_NAMES } from '#/firewall/managed/table.ts'
import { listRulesOf, type RuleRecord, rolesOn } from '#/firewall/queries.ts'
import { operatorRule, stateOf } from '#/firewall/rules.ts'
import type { UfwRule } from '#/firewall/ufw/rule.ts'
import type { NodeRecord } from '#/nodes/api.ts'

export const RECOVERY = ['public-ssh-recovery'] as const
export const MEMBERS = ['wireguard-members'] as const
export const LAN_NAMES = ['router-lan-workload', 'router-lan-members'] as const

/** Each of the names, with the rules that bear it. */
export const wantedFor = (names: readonly ManagedName[], rules: readonly NamedRule[]): Edit['wanted'] =>
  new Map(
    names.map((name) => [
      managedComment(name),
      rules.flatMap((named) => (named.name === name ? [named.rule] : [])),
    ]),
  )

/** Of Clusters that the Node joins or has left. */
export const stayingRules = (staying: readonly LanFacts[]): readonly UfwRule[] =>
  staying.flatMap((facts) => lanRules(facts).map(({ rule }) => rule))

/** Comments of the fleet that nothing in the records explains: the machine may have been another Node, or this one offline. */
export async function staleOn(db: Database, { id }: NodeRecord): Promise<(comment: string) => boolean> {
  const roles: readonly RoleName[] = await rolesOn(db, id)
  const names: readonly ManagedName[] = [
    ...RECOVERY,
    ...MEMBERS,
    ...LAN_NAMES,
    ...roles.flatMap((role): readonly ManagedName[] => ROLE_RULE_NAMES[role]),
  ]
  const rules = await listRulesOf(db, id)
  const known = new Set([...names.map(managedComment), ...rules.map(({ name }) => operatorComment(id, name))])
  return (comment) => isFleetComment(comment) && !known.has(comment)
}

/** Rules of operators that belong on the Node, by their comments. */
export async function operatorsRules(db: Database, { id }: NodeRecord): Promise<Edit['wanted']> {
  const rules = (await listRulesOf(db, id)).filter((rule) => stateOf(rule).isDesired)
  return new Map(rules.map((rule) => [operatorComment(id, rule.name), [operatorRule(id, rule)]]))
}

/** Everything that the records say of a firewall: Fleet's own rules of its active roles, and those of operators. */
export async function desiredEdit(
  db: Database,
  readFacts: ReadFacts,
  node: NodeRecord,
  rules: readonly RuleRecord[],
): Promise<Edit> {
  const managed = managedRulesOf(await readFacts(node), node.activeRoles)
  const names: readonly ManagedName[] = [
    ...RECOVERY,
    ...MEMBERS,
    ...LAN_NAMES,
    ...node.activeRoles.flatMap((role): readonly ManagedName[] => ROLE_RULE_NAMES[role]),
  ]
  const operators = rules.map(
    (rule) =>
      [
        operatorComment(node.id, rule.name),
        stateOf(rule).isDesired ? [operatorRule(node.id, rule)] : [],
      ] as const,
  )
  return {
    wanted: new Map([...wantedFor(names, managed), ...operators]),
    staying: stayingRules(await stayingLanFacts(db, node)),
    stale: await staleOn(db, node),
  }
}
