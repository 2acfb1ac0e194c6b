import type { ProcessTarget } from '@fleet/contract'
import type { Database, NewRow, Row, Store } from '@fleet/store'
import type { ProcessRow } from '#/processes/record.ts'

export type ProcessResidue = Row<'process_residues'>
export type NewProcess = NewRow<'processes'>
type Changes = Partial<
  Pick<
    ProcessRow,
    'desired_state' | 'status' | 'failed_step' | 'error_code' | 'observed_status' | 'observed_at'
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

/** The same with what is sealed for the id that the row gets. */
export async function insertSealed(
  { transaction }: Pick<Store, 'transaction'>,
  row: NewProcess,
  seal: (id: number) => string | null,
): Promise<ProcessRow | undefined> {
  return transaction(async (tx) => {
    const inserted = await insertRow(tx, row)
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
