import {
  type FirewallAction,
  type FirewallRuleData,
  type InputOf,
  fail,
  firewallSteps,
} from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import { addGuards } from '#/firewall/add-guards.ts'
import { changeRules } from '#/firewall/change.ts'
import { operatorComment } from '#/firewall/comments.ts'
import { asUnreachable, doneOrThrow, isUnreachable, noFirewall } from '#/firewall/failures.ts'
import { holdingRules } from '#/firewall/locks.ts'
import { noteRule } from '#/firewall/note-rule.ts'
import type { HandlerDeps } from '#/firewall/deps.ts'
import { presentRule } from '#/firewall/present.ts'
import { findRule, insertRule, type RuleRecord, updateRule } from '#/firewall/queries.ts'
import { requireFirewall, requireNode } from '#/firewall/require.ts'
import { operatorRule, stateOf, type WantedRule } from '#/firewall/rules.ts'
import { isSameRule } from '#/firewall/ufw/rule.ts'
import { familiesOf, type PresentFirewall, rulesOf } from '#/firewall/ufw/state.ts'
import type { FoundOf, HandlerRequest, Outcome } from '#/handler.ts'
import { identityOf, type NodeRecord, type NodeSession } from '#/nodes/api.ts'

type Add = (
  request: HandlerRequest<InputOf<'node:firewall:allow'>, FoundOf<'node:firewall:allow'>>,
) => Promise<Outcome<FirewallRuleData>>

/** An existing rule is checked on its Node and returned as stored; one that failed is completed (FW-017). */
export const makeAdd =
  (deps: HandlerDeps, action: FirewallAction): Add =>
  async ({ call, input, found }) => {
    const { name, source, protocol, port } = input
    const wanted = { name, action, source, protocol, port }
    noteRule(call, wanted)
    const node = found?.node ?? (await requireNode(deps.nodes, input.node))
    requireFirewall(node)
    if (node.status !== 'active') throw fail('node.not_active', { details: { node: identityOf(node) } })
    return holdingRules(deps.store, call, node.id, () => add(deps, { call, node, wanted }))
  }

interface Adding {
  readonly call: Call
  readonly node: NodeRecord
  readonly wanted: WantedRule
}

async function add(deps: HandlerDeps, adding: Adding): Promise<Outcome<FirewallRuleData>> {
  const { call, node, wanted } = adding
  const { db } = deps.store
  const stored = await addGuards(deps, node, wanted)
  const session = deps.nodes.sessions.overTunnel(call, node)
  const seen = await inspected(deps, session, wanted)
  call.locks.requireHeld()
  const id = await claim(deps, adding, stored)
  call.note.subject('firewall_rule', id)
  const isNew = !stored || !stateOf(stored).announced
  await written(deps, { session, wanted, seen, id, keeps: stored?.status === 'active' })
  await updateRule(db, id, {
    status: 'active',
    failed_step: null,
    error_code: null,
    backend_status: 'active',
  })
  const rule = await findRule(db, node.id, wanted.name)
  if (!rule) throw fail('node.lock_lost')
  const data = presentRule(rule)
  if (isNew) call.event('firewall.created', data)
  return { data, created: isNew }
}

/** The firewall as it is. Throws what keeps the rule away before anything is stored. */
async function inspected(
  { program }: HandlerDeps,
  session: NodeSession,
  wanted: WantedRule,
): Promise<PresentFirewall> {
  const { node } = session
  const details = { node: identityOf(node) }
  const state = await program.read(session).catch((error: unknown) => {
    throw asUnreachable(node, error)
  })
  if (state.backend === 'absent') throw noFirewall(node)
  if (state.backend === 'inactive') throw fail('firewall.backend_inactive', { details })
  if (!state.ipv6 && wanted.source.includes(':'))
    throw fail('firewall.platform_unsupported', {
      message: 'IPv6 is disabled in the firewall of the Node.',
      details,
    })
  const rule = operatorRule(node.id, wanted)
  const bearing = familiesOf(state)
    .flatMap(({ file }) => rulesOf(file))
    .filter(({ comment }) => comment === rule.comment)
  if (bearing.some((live) => !isSameRule(live, rule))) throw fail('firewall.rule_collision', { details })
  return state
}

/** The row of the rule, from here on the record of how far it came. */
async function claim(
  { store, clock }: HandlerDeps,
  { node, wanted }: Adding,
  stored: RuleRecord | undefined,
): Promise<number> {
  const progress = { status: 'provisioning', failed_step: null, error_code: null } as const
  if (!stored) {
    const row = { node_id: node.id, ...wanted, ...progress, created_at: clock.now().toISOString() }
    return insertRule(store.db, row)
  }
  // A rule whose creation was published keeps its status while it is checked.
  if (!stateOf(stored).announced) await updateRule(store.db, stored.id, progress)
  return stored.id
}

interface Writing {
  readonly session: NodeSession
  readonly wanted: WantedRule
  readonly seen: PresentFirewall
  readonly id: number
  /** The row stays as it is when this fails. */
  readonly keeps: boolean
}

async function written(
  { store, program }: HandlerDeps,
  { session, wanted, seen, id, keeps }: Writing,
): Promise<void> {
  const { node } = session
  const comment = operatorComment(node.id, wanted.name)
  const edit = { wanted: new Map([[comment, [operatorRule(node.id, wanted)]]]) }
  try {
    doneOrThrow(node, await changeRules(program, session, { edit }, seen), ['apply', 'verify'])
  } catch (error) {
    const failure = asApplyFailure(node, error)
    const step = failure.code === firewallSteps.verify ? 'verify' : 'apply'
    if (!keeps)
      await updateRule(store.db, id, { status: 'failed', failed_step: step, error_code: failure.code })
    throw failure
  }
}

/** Silence in the middle leaves the outcome unknown: the rule is as failed as after a refusal of the machine. */
const asApplyFailure = (node: NodeRecord, error: unknown): CodedError => {
  if (error instanceof CodedError && !isUnreachable(error) && error.code !== 'node.command_failed')
    return error
  return fail('firewall.apply_failed', {
    details: {
      node: identityOf(node),
      step: 'apply',
      ...(error instanceof CodedError ? { error_code: error.code } : {}),
    },
    cause: error,
  })
}
