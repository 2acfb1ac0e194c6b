import { fail } from '@fleet/contract'
import type { Database, Store } from '@fleet/store'
import type { CallerLimit } from '#/firewall/commands/limit-callers.ts'
import type { ReadFacts } from '#/firewall/facts.ts'
import type { ManagedFacts } from '#/firewall/managed/table.ts'
import type { FirewallProgram } from '#/firewall/program.ts'
import { hasFirewall } from '#/firewall/require.ts'
import { findCallerAccounts, identityOf, type NodeRecord, type NodeSession } from '#/nodes/api.ts'

export interface LimitDeps {
  readonly store: Store
  readonly program: FirewallProgram
  readonly readFacts: ReadFacts
}

/** The stored limit of a Node; undefined without one, or without a gateway to call. */
export async function findLimit(
  db: Database,
  node: NodeRecord,
  { gatewayAddress }: Pick<ManagedFacts, 'gatewayAddress'>,
): Promise<(CallerLimit & { readonly accounts: readonly string[] }) | undefined> {
  const accounts = await findCallerAccounts(db, node.id)
  return accounts === null || gatewayAddress === null ? undefined : { gateway: gatewayAddress, accounts }
}

/** Puts the stored limit in force; false without one. Throws `firewall.account_unknown` and what the program throws. */
export async function applyLimit(deps: LimitDeps, session: NodeSession): Promise<boolean> {
  const { node } = session
  const limit = await findLimit(deps.store.db, node, await deps.readFacts(node))
  if (!limit) return false
  const unknown = await deps.program.limitCallers(session, limit)
  if (unknown.length > 0)
    throw fail('firewall.account_unknown', { details: { node: identityOf(node), accounts: [...unknown] } })
  return true
}

/** The stored limit, or none: a machine that left while it did not answer may come back with one that no record knows. */
export async function settleLimit(deps: LimitDeps, session: NodeSession): Promise<void> {
  if (!(await applyLimit(deps, session))) await liftLimit(deps, session)
}

/** Lets every account call the gateway. The machine is asked also without a stored limit: it may have one that no record knows. */
export async function liftLimit(
  { program, readFacts }: Pick<LimitDeps, 'program' | 'readFacts'>,
  session: NodeSession,
): Promise<void> {
  if (!hasFirewall(session.node)) return
  const { gatewayAddress } = await readFacts(session.node)
  await program.limitCallers(session, { gateway: gatewayAddress ?? '', accounts: null })
}
