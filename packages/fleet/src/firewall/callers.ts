import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { applyLimit, liftLimit } from '#/firewall/callers/limit.ts'
import { asUnreachable } from '#/firewall/failures.ts'
import { holdingRules } from '#/firewall/locks.ts'
import type { HandlerParts } from '#/firewall/parts.ts'
import { requireFirewall, requireNode } from '#/firewall/require.ts'
import type { Handler } from '#/handler.ts'
import { findCallerAccounts, identityOf, type NodeSession, putCallerAccounts } from '#/nodes/api.ts'

/**
 * A limit is stored before the machine has it, and taken from the records after the machine: whatever ends in between is
 * drift of a stored limit, never a limit that no record knows. The identical request finishes it.
 */
export const makeCallers =
  (parts: HandlerParts): Handler<'node:firewall:callers'> =>
  async ({ call, input: { node: id, accounts }, found }) => {
    const node = found?.node ?? (await requireNode(parts.nodes, id))
    requireFirewall(node)
    if (node.status !== 'active') throw fail('node.not_active', { details: { node: identityOf(node) } })
    call.note.property('accounts', accounts === null ? 'all' : accounts.join(' '))
    const session = parts.nodes.sessions.overTunnel(call, node)
    await holdingRules(parts.store, call, node.id, () =>
      accounts === null ? lift(parts, session) : limit(parts, session, accounts),
    )
    return { data: { node_id: node.id, accounts } }
  }

async function lift(parts: HandlerParts, session: NodeSession): Promise<void> {
  const { node, call } = session
  await liftLimit(parts, session).catch((error: unknown) => {
    throw asUnreachable(node, error)
  })
  call.locks.requireHeld()
  await putCallerAccounts(parts.store.db, node.id, null)
}

/** Errors after which the machine is as it was. */
const UNCHANGED: readonly string[] = [
  'firewall.account_unknown',
  'firewall.node_unreachable',
  'node.capability_missing',
]

async function limit(parts: HandlerParts, session: NodeSession, accounts: readonly string[]): Promise<void> {
  const { db } = parts.store
  const { node } = session
  const before = await findCallerAccounts(db, node.id)
  await putCallerAccounts(db, node.id, accounts)
  try {
    await applyLimit(parts, session)
  } catch (cause) {
    const error = asUnreachable(node, cause)
    if (error instanceof CodedError && UNCHANGED.includes(error.code))
      await putCallerAccounts(db, node.id, before)
    throw error
  }
}
