import { fail, firewallSteps } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { changeRules } from '#/firewall/change.ts'
import { operatorComment } from '#/firewall/comments.ts'
import { asUnreachable, doneOrThrow, isUnreachable } from '#/firewall/failures.ts'
import { holdingRules } from '#/firewall/locks.ts'
import { noteRule } from '#/firewall/note-rule.ts'
import type { HandlerDeps } from '#/firewall/deps.ts'
import { presentRule } from '#/firewall/present.ts'
import { deleteRule, findRule, type RuleRecord, updateRule } from '#/firewall/queries.ts'
import { requireNode } from '#/firewall/require.ts'
import type { FirewallState } from '#/firewall/ufw/state.ts'
import type { Handler } from '#/handler.ts'
import { identityOf, type NodeSession, silentCode } from '#/nodes/api.ts'
import { endsRequest } from '#/perform-steps.ts'

/** Removes the rule from its Node, then from the records; a removal that died in between resumes there (FW-006). */
export const makeRemove =
  (deps: HandlerDeps): Handler<'node:firewall:remove'> =>
  async ({ call, input, found }) => {
    call.note.property('name', input.name)
    const node = found?.node ?? (await requireNode(deps.nodes, input.node))
    const { db } = deps.store
    return holdingRules(deps.store, call, node.id, async () => {
      const rule = await findRule(db, node.id, input.name)
      if (!rule) throw fail('firewall.not_found')
      call.note.subject('firewall_rule', rule.id)
      noteRule(call, rule)
      const session = deps.nodes.sessions.overTunnel(call, node)
      const state = await answering(deps, session, input.offline)
      if (state) await withdraw(deps, session, rule, state)
      call.locks.requireHeld()
      await deleteRule(db, rule.id)
      call.event('firewall.deleted', { id: rule.id, name: rule.name })
      return { data: presentRule(rule) }
    })
  }

/** The firewall as it is; undefined for a silent Node that the caller has given up. */
async function answering(
  { program }: HandlerDeps,
  session: NodeSession,
  offline: boolean,
): Promise<FirewallState | undefined> {
  try {
    return await program.read(session)
  } catch (error) {
    // Whose machine shows another host key, or lets nobody in, is given up as a dead one is (NODE-095).
    if (offline && (isUnreachable(error) || silentCode(error) !== undefined)) return undefined
    throw asUnreachable(session.node, error)
  }
}

async function withdraw(
  { store, program }: HandlerDeps,
  session: NodeSession,
  rule: RuleRecord,
  seen: FirewallState,
): Promise<void> {
  const { node } = session
  await updateRule(store.db, rule.id, {
    status: 'removing',
    failed_step: null,
    error_code: null,
    backend_status: seen.backend,
  })
  // Where the program is gone, nothing can be in force.
  if (seen.backend === 'absent') return
  const edit = { wanted: new Map([[operatorComment(node.id, rule.name), []]]) }
  try {
    doneOrThrow(node, await changeRules(program, session, { edit }, seen), ['remove', 'remove-verify'])
  } catch (error) {
    // Somebody else has the record by then.
    if (error instanceof CodedError && error.code === 'node.lock_lost') throw error
    const failure = asRemoveFailure(session, error)
    const step = failure.code === firewallSteps['remove-verify'] ? 'remove-verify' : 'remove'
    await updateRule(store.db, rule.id, { status: 'failed', failed_step: step, error_code: failure.code })
    throw failure
  }
}

const REMOVAL: readonly string[] = [firewallSteps.remove, firewallSteps['remove-verify']]

const asRemoveFailure = ({ node }: NodeSession, error: unknown): CodedError => {
  if (error instanceof CodedError && (REMOVAL.includes(error.code) || endsRequest(error))) return error
  return fail('firewall.remove_failed', {
    details: {
      node: identityOf(node),
      step: 'remove',
      ...(error instanceof CodedError ? { error_code: error.code } : {}),
    },
    cause: error,
  })
}
