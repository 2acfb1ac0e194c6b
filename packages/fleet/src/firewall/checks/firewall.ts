import type { DoctorCode, RoleName } from '@fleet/contract'
import { callerChecks } from '#/firewall/callers/checks.ts'
import { firewallQuestion } from '#/firewall/checks/question.ts'
import { leadsAll, type RuleMatch, matchOf, strangersIn } from '#/firewall/checks/rule-match.ts'
import { managedComment, operatorComment } from '#/firewall/comments.ts'
import type { ReadFacts } from '#/firewall/facts.ts'
import { type ManagedRule, managedRulesOf, members, ROLE_RULE_NAMES } from '#/firewall/managed/table.ts'
import { findRule, listRulesOf, rolesOn, type RuleRecord } from '#/firewall/queries.ts'
import { operatorRule, stateOf } from '#/firewall/rules.ts'
import { hasFirewall } from '#/firewall/require.ts'
import type { UfwRule } from '#/firewall/ufw/rule.ts'
import type { FirewallState } from '#/firewall/ufw/state.ts'
import { lockOf } from '#/locks/api.ts'
import {
  asked,
  type Check,
  type CheckedResource,
  type FamilyChecks,
  type Finding,
  nodeResource,
  lifecycleCheck,
  type NodeRecord,
} from '#/nodes/api.ts'
import type { Database, Store } from '@fleet/store'

export interface CheckDeps {
  readonly db: Database
  readonly locks: Pick<Store['locks'], 'holderOf'>
  readonly readFacts: ReadFacts
}

/**
 * The family `firewall` (DRF-057): the firewall is on and lasts, what every Node has comes first, and each rule of an operator is
 * as stored. A firewall that is off is a single finding; its rules are not checked.
 */
export const makeFirewallChecks = ({ db, locks, readFacts }: CheckDeps): FamilyChecks => ({
  family: 'firewall',
  checksOf: async (_call, node) => {
    const rules = await listRulesOf(db, node.id)
    const lifecycle = rules.map((rule) => lifecycleOf({ db, locks }, rule))
    if (!hasFirewall(node)) return lifecycle
    const facts = await readFacts(node)
    const managed = managedRulesOf(facts, node.activeRoles)
    const active = rules.filter(({ status }) => status === 'active')
    return [
      asked('firewall.backend_inactive', nodeResource(node), firewallQuestion, weaknessOf),
      ...baselineChecks(managed),
      surroundingsCheck(node, { managed, rules, roles: await rolesOn(db, node.id) }),
      ...lifecycle,
      ...(await callerChecks(db, node, facts)),
      ...active.flatMap((rule) =>
        ruleChecks(resourceOf(rule.id, rule.name), operatorComment(node.id, rule.name), [
          operatorRule(node.id, rule),
        ]),
      ),
    ]
  },
})

const resourceOf = (id: number | null, name: string): CheckedResource => ({ type: 'firewall_rule', id, name })

const lifecycleOf = ({ db, locks }: Pick<CheckDeps, 'db' | 'locks'>, rule: RuleRecord): Check =>
  lifecycleCheck(locks, {
    code: 'firewall.lifecycle_not_active',
    resource: resourceOf(rule.id, rule.name),
    expected: 'active',
    seen: rule.status,
    lock: lockOf('firewall', rule.node_id).name,
    again: () => findRule(db, rule.node_id, rule.name),
  })

/** What every Node has; the family `role` reports the rules of roles. */
function baselineChecks(managed: readonly ManagedRule[]): readonly Check[] {
  const names = new Set(managed.filter(({ role }) => role === null).map(({ name }) => name))
  return [...names].flatMap((name) =>
    ruleChecks(
      resourceOf(null, name),
      managedComment(name),
      managed.filter((rule) => rule.name === name).map(({ rule }) => rule),
    ),
  )
}

function ruleChecks(
  resource: CheckedResource,
  comment: string,
  wanted: readonly UfwRule[],
): readonly Check[] {
  const check = (code: 'firewall.rule_missing' | 'firewall.rule_mismatch', wrong: RuleMatch): Check =>
    asked(code, resource, firewallQuestion, (state) =>
      whenActive(state, (active) =>
        matchOf(active, comment, wanted) === wrong ? { expected: 'exact', observed: wrong } : undefined,
      ),
    )
  return [check('firewall.rule_missing', 'missing'), check('firewall.rule_mismatch', 'different')]
}

interface Surroundings {
  readonly managed: readonly ManagedRule[]
  readonly rules: readonly RuleRecord[]
  /** In any status. */
  readonly roles: readonly RoleName[]
}

/** Other rules: nothing above Fleet's own rules, and no rule of the fleet that the records do not know. */
function surroundingsCheck(node: NodeRecord, { managed, rules, roles }: Surroundings): Check {
  const unfinished = roles.filter((role) => !node.activeRoles.includes(role))
  const known = new Set([
    ...managed.map(({ name }) => managedComment(name)),
    // A converge keeps them, and that such a role is not active is a finding of its own.
    ...unfinished.flatMap((role) => ROLE_RULE_NAMES[role].map(managedComment)),
    ...rules.filter((rule) => stateOf(rule).isDesired).map(({ name }) => operatorComment(node.id, name)),
  ])
  return asked('firewall.rule_mismatch', nodeResource(node), firewallQuestion, (state) =>
    whenActive(state, (active) => {
      const own = managed.map(({ rule }) => rule)
      if (!leadsAll(active, own))
        return { expected: 'rules of the fleet first', observed: 'others above them' }
      const count = strangersIn(active, known)
      return count === 0 ? undefined : { expected: 'no unknown rules of the fleet', observed: String(count) }
    }),
  )
}

/** For the domains whose services members of the tunnel use; a firewall that is off is reported by its own check. */
export async function memberCheck(
  { readFacts }: CheckDeps,
  code: DoctorCode,
  resource: CheckedResource,
  node: NodeRecord,
): Promise<readonly Check[]> {
  if (!hasFirewall(node)) return []
  const wanted = members(await readFacts(node)).map(({ rule }) => rule)
  return [
    asked(code, resource, firewallQuestion, (state) =>
      whenActive(state, (active) => {
        const match = matchOf(active, managedComment('wireguard-members'), wanted)
        return match === 'exact' ? undefined : { expected: 'exact', observed: match }
      }),
    ),
  ]
}

export type ActiveFirewall = Extract<FirewallState, { readonly backend: 'active' | 'inactive' }>

/** One that is on may admit everybody, or be off after the next start of the machine: converging mends both. */
export function weaknessOf(state: FirewallState): Finding | undefined {
  if (state.backend !== 'active') return { expected: 'active', observed: state.backend }
  if (!state.deniesRest) return { expected: 'active', observed: 'admits the rest' }
  return state.isLasting ? undefined : { expected: 'active', observed: 'not on after a start' }
}

/** A firewall that is off is reported once, by its own check. */
export const whenActive = (
  state: FirewallState,
  judge: (state: ActiveFirewall) => Finding | undefined,
): Finding | undefined => (state.backend === 'active' ? judge(state) : undefined)
