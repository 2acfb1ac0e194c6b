import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { findLimit, liftLimit } from '#/firewall/callers/limit.ts'
import { changeRules } from '#/firewall/change.ts'
import { desiredEdit } from '#/firewall/desired.ts'
import type { ReadFacts } from '#/firewall/facts.ts'
import { doneOrThrow } from '#/firewall/failures.ts'
import { holdingRules } from '#/firewall/locks.ts'
import { presentRule } from '#/firewall/present.ts'
import type { FirewallProgram } from '#/firewall/program.ts'
import { deleteRule, findRule, listRulesOf, type RuleRecord, updateRule } from '#/firewall/queries.ts'
import { stateOf } from '#/firewall/rules.ts'
import type { NodeSession } from '#/nodes/api.ts'

export interface RestoreDeps {
  readonly store: Store
  readonly program: FirewallProgram
  readonly readFacts: ReadFacts
}

/**
 * One change makes the firewall of a Node as the records want it, whatever became of it: Fleet's own rules, those of
 * operators, nothing else of the fleet's, and on. A request for a rule that did not end is finished by it. The session must
 * come over the tunnel, which is proven before public SSH is closed. True when something was not so.
 */
export const restoreRules = (
  { store, program, readFacts }: RestoreDeps,
  session: NodeSession,
  address: string,
): Promise<boolean> =>
  holdingRules(store, session.call, session.node.id, async () => {
    const { node, call } = session
    const rules = await listRulesOf(store.db, node.id)
    const edit = await desiredEdit(store.db, readFacts, node, rules)
    const seen = await program.read(session)
    const tunnel = { address, port: node.ssh_port }
    const changed = await changeRules(program, session, { edit, enables: true, tunnel }, seen)
    const state = doneOrThrow(node, changed, ['apply', 'verify'])
    call.locks.requireHeld()
    for (const rule of rules) await finish(store, call, rule)
    // A stored one is an artifact of the Node.
    if (!(await findLimit(store.db, node, await readFacts(node))))
      await liftLimit({ program, readFacts }, session)
    return state !== seen
  })

/** The record of a rule whose request did not end, now that the machine is as the request wanted it. */
async function finish({ db }: Store, call: Call, rule: RuleRecord): Promise<void> {
  if (rule.status === 'active') return
  const { isDesired, announced } = stateOf(rule)
  if (!isDesired) {
    await deleteRule(db, rule.id)
    return call.publish('firewall.deleted', { id: rule.id, name: rule.name })
  }
  const done = { status: 'active', failed_step: null, error_code: null, backend_status: 'active' } as const
  await updateRule(db, rule.id, done)
  const finished = await findRule(db, rule.node_id, rule.name)
  if (finished && !announced) await call.publish('firewall.created', presentRule(finished))
}
