import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { applyLimit, liftLimit } from '#/firewall/callers/limit.ts'
import { asUnreachable } from '#/firewall/failures.ts'
import { holdingRules } from '#/firewall/locks.ts'
import type { HandlerDeps } from '#/firewall/deps.ts'
import { requireFirewall, requireNode } from '#/firewall/require.ts'
import type { Handler } from '#/handler.ts'
import { findCallerAccounts, identityOf, type NodeSession, putCallerAccounts } from '#/nodes/api.ts'

/**
 * A limit is stored before the machine has it, and taken from the records after the machine: whatever ends in between is
 * drift of a stored limit, never a limit that no record knows. The identical request finishes it.
 */
export const makeCallers =
  (deps: HandlerDeps): Handler<'node:firewall:callers'> =>
  async ({ call, input: { node: id, accounts }, found }) => {
    const node = found?.node ?? (await requireNode(deps.nodes, id))
    requireFirewall(node)
    if (node.status !== 'active') throw fail('node.not_active', { details: { node: identityOf(node) } })
    call.note.property('accounts', accounts === null ? 'all' : accounts.join(' '))
    const session = deps.nodes.sessions.overTunnel(call, node)
    await holdingRules(deps.store, call, node.id, () =>
      accounts === null ? lift(deps, session) : limit(deps, session, accounts),
    )
    return { data: { node_id: node.id, accounts } }
  }

async function lift(deps: HandlerDeps, session: NodeSession): Promise<void> {
  const { node, call } = session
  await liftLimit(deps, session).catch((error: unknown) => {
    throw asUnreachable(node, error)
  })
  call.locks.requireHeld()
  await putCallerAccounts(deps.store.db, node.id, null)
}

/** Errors after which the machine is as it was: a connection that breaks, or a script that takes too long, may have changed it. */
const UNCHANGED: readonly string[] = [
  'firewall.account_unknown',
  'node.unreachable',
  'node.capability_missing',
]

async function limit(deps: HandlerDeps, session: NodeSession, accounts: readonly string[]): Promise<void> {
  const { db } = deps.store
  const { node } = session
  const before = await findCallerAccounts(db, node.id)
  await putCallerAccounts(db, node.id, accounts)
  try {
    await applyLimit(deps, session)
  } catch (cause) {
    if (cause instanceof CodedError && UNCHANGED.includes(cause.code))
      await putCallerAccounts(db, node.id, before)
    throw asUnreachable(node, cause)
  }
}
