import {
  type DatabaseField,
  databaseFields,
  fail,
  type InputOf,
  invalid,
  type OutputOf,
} from '@fleet/contract'
import type { Call } from '#/call.ts'
import { createOnServer } from '#/databases/owned/create.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import { sealPassword } from '#/databases/password.ts'
import { presentConnection } from '#/databases/present.ts'
import { findConnection, insertConnection, updateConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { type Planned, plan } from '#/databases/rules.ts'
import type { Handler, Outcome } from '#/handler.ts'
import { requireAccess } from '#/nodes/api.ts'

export type CreateDeps = OwnedDeps

type Input = InputOf<'database:create'>

/** Stores the connection and contacts nothing. A used slug is refused, also for the same values (GW-021, DB-049). */
export const makeCreate =
  (deps: CreateDeps): Handler<'database:create'> =>
  async ({ call, input }) => {
    if (input.server !== undefined) return onServer(deps, call, input, input.server)
    const planned = planOrRefuse(input)
    const { node_id } = planned.row
    if (node_id !== null && !(await deps.nodes.find(node_id))) throw fail('node.not_found')
    const created = await store(deps, input.slug, planned)
    call.note.subject('database_connection', created.id)
    const data = presentConnection(created)
    call.event('database.created', data)
    return { data, created: true }
  }

function planOrRefuse(input: Input): Planned {
  if (input.instance_id !== undefined) throw invalid({ instance_id: ['is taken only together with server'] })
  if (input.driver === undefined) throw invalid({ driver: ['is required'] })
  const planned = plan(input.driver, input)
  if (Object.keys(planned.problems).length > 0) throw invalid(planned.problems)
  return planned
}

/** Throws `validation.failed` for the members of a registration (DB-037). */
function refuseFields(input: Input): void {
  const refused = (
    ['driver', ...databaseFields] as const satisfies readonly (DatabaseField | 'driver')[]
  ).filter((member) => input[member] !== undefined)
  if (refused.length > 0)
    throw invalid(
      Object.fromEntries(refused.map((member) => [member, ['is not taken together with server']])),
    )
}

async function onServer(
  deps: CreateDeps,
  call: Call,
  input: Input,
  server: string,
): Promise<Outcome<OutputOf<'database:create'>>> {
  refuseFields(input)
  const instance = input.instance_id === undefined ? undefined : await deps.instances.find(input.instance_id)
  // Its environment changes (ACC-012, ACC-013).
  if (instance) await requireAccess(deps.nodes, call, instance.node_id)
  const created = await createOnServer(deps, call, {
    slug: input.slug,
    server,
    instanceId: input.instance_id,
  })
  call.note.subject('database_connection', created.record.id)
  const data = presentConnection(created.record, created.server.slug)
  call.event('database.created', data)
  const { replaced } = created
  return { data: { ...data, ...(replaced && { replaced }) }, created: true }
}

async function store(
  { store: { transaction, cipher, db }, clock }: CreateDeps,
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
