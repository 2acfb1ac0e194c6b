import { type DatabaseField, databaseFields, fail, type InputOf, invalid } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { sealPassword } from '#/databases/password.ts'
import { presentConnection } from '#/databases/present.ts'
import { findConnection, insertConnection, updateConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { type Planned, plan } from '#/databases/rules.ts'
import type { Handler } from '#/handler.ts'
import type { Nodes } from '#/nodes/api.ts'

export interface CreateParts {
  readonly store: Store
  readonly clock: Clock
  readonly nodes: Pick<Nodes, 'find'>
}

type Input = InputOf<'database:create'>

/** Stores the connection and contacts nothing. A used slug is refused, also for the same values (GW-021, DB-049). */
export const makeCreate =
  (parts: CreateParts): Handler<'database:create'> =>
  async ({ call, input }) => {
    const planned = planOrRefuse(input)
    const { node_id } = planned.row
    if (node_id !== null && !(await parts.nodes.find(node_id))) throw fail('node.not_found')
    const created = await store(parts, input.slug, planned)
    call.note.subject('database_connection', created.id)
    const data = presentConnection(created)
    call.event('database.created', data)
    return { data, created: true }
  }

function planOrRefuse(input: Input): Planned {
  if (input.server !== undefined) refuseServer(input)
  if (input.instance_id !== undefined) throw invalid({ instance_id: ['is taken only together with server'] })
  if (input.driver === undefined) throw invalid({ driver: ['is required'] })
  const planned = plan(input.driver, input)
  if (Object.keys(planned.problems).length > 0) throw invalid(planned.problems)
  return planned
}

/** No server has any slug: this version creates none (DB-037, DB-073). */
function refuseServer(input: Input): never {
  const refused = (
    ['driver', ...databaseFields] as const satisfies readonly (DatabaseField | 'driver')[]
  ).filter((member) => input[member] !== undefined)
  if (refused.length > 0)
    throw invalid(
      Object.fromEntries(refused.map((member) => [member, ['is not taken together with server']])),
    )
  throw fail('database.server_missing')
}

async function store(
  { store: { transaction, cipher, db }, clock }: CreateParts,
  slug: string,
  { row, password }: Planned,
): Promise<ConnectionRecord> {
  const created = await transaction(async (within) => {
    const inserted = await insertConnection(within, { ...row, slug, created_at: clock.now().toISOString() })
    if (!inserted || typeof password !== 'string') return inserted
    return updateConnection(within, inserted.id, { password: sealPassword(cipher, inserted.id, password) })
  })
  if (created) return created
  const owner = await findConnection(db, slug)
  const details = owner && { database_connection: { id: owner.id, slug } }
  throw fail('database.slug_conflict', details ? { details } : {})
}
