import { fail } from '@fleet/contract'
import type { Database } from '@fleet/store'
import { ownerColumns } from '#/instances/api.ts'
import { holdConnections } from '#/processes/connections/hold.ts'
import { openVariables, sealVariables } from '#/processes/containers/variables.ts'
import { tunnelPorts } from '#/processes/listeners.ts'
import { requireRelease } from '#/processes/locking.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { findNamed, insertSealed } from '#/processes/queries.ts'
import type { ProcessOwner, ProcessRow } from '#/processes/record.ts'
import { followSite } from '#/processes/sleep/follow-site.ts'
import { compared, type ProcessRequest } from '#/processes/rules.ts'
import { isRepeat, otherValues } from '#/repeats.ts'

export interface StoredProcess {
  readonly row: ProcessRow
  readonly isNew: boolean
}

type ReserveDeps = Pick<ProcessesDeps, 'store' | 'clock' | 'releases' | 'connections'>

/** Refuses a new Process in the transaction that stores it. */
type Guard = (tx: Database) => Promise<void>

/** The stored Process of this name, or a new one. Throws `process.name_taken`, `process.release_unavailable` and `database.not_found`. */
export async function storedOrNew(
  deps: ReserveDeps,
  owner: ProcessOwner,
  request: ProcessRequest,
  guard?: Guard,
): Promise<StoredProcess> {
  const { store } = deps
  const known = await findNamed(store.db, owner.type, owner.id, request.name)
  if (!known && request.start) await requireRelease(deps, owner)
  const row = known ?? (await insert(deps, owner, request, { guard }))
  // Another creation of this name came in between.
  if (!row) return storedOrNew(deps, owner, request, guard)
  const members = compared(row, openVariables(store.cipher, row), request)
  if (!isRepeat(members) || row.status === 'removing')
    throw otherValues('process.name_taken', members, { process_id: row.id, status: row.status })
  return { row, isNew: !known }
}

/** Undefined when the owner has a Process of this name. `definitionId` is of the definition that it is a copy of. */
export function insert(
  { store, clock, connections }: Pick<ReserveDeps, 'store' | 'clock' | 'connections'>,
  owner: ProcessOwner,
  { start, variables, ...columns }: ProcessRequest,
  {
    definitionId = null,
    guard,
  }: { readonly definitionId?: string | null; readonly guard?: Guard | undefined } = {},
): Promise<ProcessRow | undefined> {
  const row = {
    ...ownerColumns(owner.type, owner.id),
    ...columns,
    definition_id: definitionId,
    desired_state: start ? 'running' : 'stopped',
    status: 'creating',
    created_at: clock.now().toISOString(),
  } as const
  return insertSealed(store, row, {
    seal: (id) => (variables.length === 0 ? null : sealVariables(store.cipher, id, variables)),
    also: async (tx) => {
      await holdConnections({ connections }, tx, row.runtime_config)
      await guard?.(tx)
      await followSite({ store, clock }, tx, { owner, keep_alive: row.keep_alive })
    },
  })
}

/** Throws `process.port_unavailable` for a port that a database server of the Node has: only one of them could run. */
export const refusePortsOfServers =
  ({ databases }: Pick<ProcessesDeps, 'databases'>, { node }: ProcessOwner, request: ProcessRequest): Guard =>
  async (tx) => {
    const ports = new Set(tunnelPorts(request.runtime_config.container?.ports ?? [], node))
    if (ports.size === 0) return
    const server = (await databases.portsOn(tx, node.id)).find(({ port }) => ports.has(port))
    if (!server) return
    const { port, slug } = server
    throw fail('process.port_unavailable', {
      message: `The database server \`${slug}\` has port ${port} of the Node. Publish another one.`,
      details: { port, database_server: slug },
    })
  }
