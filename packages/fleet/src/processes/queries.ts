import type { ProcessTarget } from '@fleet/contract'
import type { Database, NewRow, Row, Store } from '@fleet/store'
import type { ProcessRow } from '#/processes/record.ts'

export type ProcessResidue = Row<'process_residues'>
export type NewProcess = NewRow<'processes'>
type Changes = Partial<
  Pick<
    ProcessRow,
    | 'desired_state'
    | 'status'
    | 'failed_step'
    | 'error_code'
    | 'observed_status'
    | 'observed_at'
    | 'connection_values'
    | 'runtime_config'
  >
>

export const findRow = (db: Database, id: number): Promise<ProcessRow | undefined> =>
  db.selectFrom('processes').selectAll().where('id', '=', id).executeTakeFirst()

/** By id; of one owner, or of one kind of owner. */
export const listRows = (
  db: Database,
  { type, id }: { readonly type?: ProcessTarget | undefined; readonly id?: number | undefined } = {},
): Promise<ProcessRow[]> => {
  let query = db.selectFrom('processes').selectAll().orderBy('id')
  if (type !== undefined) {
    const column = type === 'instance' ? 'instance_id' : 'node_id'
    query = id === undefined ? query.where(column, 'is not', null) : query.where(column, '=', id)
  }
  return query.execute()
}

/** By id: those that depend on the connection. */
export const rowsDependingOn = async (db: Database, slug: string): Promise<ProcessRow[]> =>
  (await listRows(db)).filter(({ runtime_config: { connections = [] } }) =>
    connections.some((use) => use.slug === slug),
  )

/** By id: of the Node itself and of its Instances. */
export const rowsOnNode = (db: Database, nodeId: number): Promise<ProcessRow[]> =>
  db
    .selectFrom('processes')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('node_id', '=', nodeId),
        eb('instance_id', 'in', eb.selectFrom('instances').select('id').where('node_id', '=', nodeId)),
      ]),
    )
    .orderBy('id')
    .execute()

/** Of active development Instances on Nodes with `app-dev`: those that hibernation may stop (HIB-006). By id. */
export const sleepyRows = (
  db: Database,
): Promise<{ readonly instance_id: number; readonly node_id: number }[]> =>
  db
    .selectFrom('processes')
    .innerJoin('instances', 'instances.id', 'processes.instance_id')
    .innerJoin('node_roles', (join) =>
      join
        .onRef('node_roles.node_id', '=', 'instances.node_id')
        .on('node_roles.role', '=', 'app-dev')
        .on('node_roles.status', '=', 'active'),
    )
    .where('instances.environment', '=', 'development')
    .where('instances.status', '=', 'active')
    .where('processes.status', '=', 'active')
    .where('processes.desired_state', '=', 'running')
    .where('processes.keep_alive', '=', 0)
    .select(['instances.id as instance_id', 'instances.node_id as node_id'])
    .orderBy('processes.id')
    .execute()

/** Instances of a Node with a Process that may sleep, whether it is to run or not: their sites wake them. */
export async function sleepersOn(db: Database, nodeId: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('processes')
    .innerJoin('instances', 'instances.id', 'processes.instance_id')
    .where('instances.node_id', '=', nodeId)
    .where('instances.environment', '=', 'development')
    .where('processes.status', '!=', 'removing')
    .where('processes.keep_alive', '=', 0)
    .select('instances.id')
    .distinct()
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Active development Instances of a Node without a Process that may sleep: no visitor wakes them. By id. */
export async function forsakenOn(db: Database, nodeId: number): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('instances')
    .where('node_id', '=', nodeId)
    .where('environment', '=', 'development')
    .where('status', '=', 'active')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('processes')
            .whereRef('processes.instance_id', '=', 'instances.id')
            .where('processes.keep_alive', '=', 0)
            .select('processes.id'),
        ),
      ),
    )
    .select('id')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export const findNamed = (
  db: Database,
  type: ProcessTarget,
  id: number,
  name: string,
): Promise<ProcessRow | undefined> =>
  db
    .selectFrom('processes')
    .selectAll()
    .where(type === 'instance' ? 'instance_id' : 'node_id', '=', id)
    .where('name', '=', name)
    .executeTakeFirst()

/** Undefined when the owner has one with this name: the caller reads it. */
export const insertRow = (db: Database, row: NewProcess): Promise<ProcessRow | undefined> =>
  db
    .insertInto('processes')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

interface SealedInsert {
  readonly seal: (id: number) => string | null
  /** Done with it, or not at all. */
  readonly also: (db: Database) => Promise<void>
}

/** The same with what is sealed for the id that the row gets. */
export async function insertSealed(
  { transaction }: Pick<Store, 'transaction'>,
  row: NewProcess,
  { seal, also }: SealedInsert,
): Promise<ProcessRow | undefined> {
  return transaction(async (tx) => {
    const inserted = await insertRow(tx, row)
    if (inserted) await also(tx)
    const variables = inserted ? seal(inserted.id) : null
    if (!inserted || variables === null) return inserted
    await tx.updateTable('processes').set({ variables }).where('id', '=', inserted.id).execute()
    return { ...inserted, variables }
  })
}

export async function updateRow(db: Database, id: number, values: Changes): Promise<void> {
  await db.updateTable('processes').set(values).where('id', '=', id).execute()
}

export async function deleteRow(db: Database, id: number): Promise<void> {
  await db.deleteFrom('processes').where('id', '=', id).execute()
}

export async function insertResidue(db: Database, residue: NewRow<'process_residues'>): Promise<void> {
  await db.insertInto('process_residues').values(residue).execute()
}

export const residuesOn = (db: Database, nodeId: number): Promise<ProcessResidue[]> =>
  db.selectFrom('process_residues').selectAll().where('node_id', '=', nodeId).orderBy('id').execute()

export async function deleteResidue(db: Database, id: number): Promise<void> {
  await db.deleteFrom('process_residues').where('id', '=', id).execute()
}

/** Processes that the Node owns itself. */
export async function countOfNode(db: Database, nodeId: number): Promise<number> {
  const { count } = await db
    .selectFrom('processes')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('node_id', '=', nodeId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
