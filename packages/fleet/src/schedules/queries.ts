import type { ProcessTarget } from '@fleet/contract'
import type { Database, NewRow } from '@fleet/store'
import type { ScheduleRow } from '#/schedules/record.ts'

export type NewSchedule = NewRow<'schedules'>
type Changes = Partial<
  Pick<
    ScheduleRow,
    'desired_timer_state' | 'status' | 'failed_step' | 'error_code' | 'last_run_at' | 'last_run_status'
  >
>

export const findRow = (db: Database, id: string): Promise<ScheduleRow | undefined> =>
  db.selectFrom('schedules').selectAll().where('id', '=', id).executeTakeFirst()

/** By name, then by id. */
export const listRows = (db: Database): Promise<ScheduleRow[]> =>
  db.selectFrom('schedules').selectAll().orderBy('name').orderBy('id').execute()

/** By id. */
export const rowsOfInstance = (db: Database, instanceId: number): Promise<ScheduleRow[]> =>
  db.selectFrom('schedules').selectAll().where('instance_id', '=', instanceId).orderBy('id').execute()

/** By id: of the Node itself and of its Instances. */
export const rowsOnNode = (db: Database, nodeId: number): Promise<ScheduleRow[]> =>
  db
    .selectFrom('schedules')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('node_id', '=', nodeId),
        eb(
          'instance_id',
          'in',
          eb.selectFrom('instances').select('instances.id').where('instances.node_id', '=', nodeId),
        ),
      ]),
    )
    .orderBy('id')
    .execute()

export const findNamed = (
  db: Database,
  type: ProcessTarget,
  id: number,
  name: string,
): Promise<ScheduleRow | undefined> =>
  db
    .selectFrom('schedules')
    .selectAll()
    .where(type === 'instance' ? 'instance_id' : 'node_id', '=', id)
    .where('name', '=', name)
    .executeTakeFirst()

/** Undefined when the owner has one with this name: the caller reads it. */
export const insertRow = (db: Database, row: NewSchedule): Promise<ScheduleRow | undefined> =>
  db
    .insertInto('schedules')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

/** The changed row; undefined for one that is gone. */
export const updateRow = (db: Database, id: string, values: Changes): Promise<ScheduleRow | undefined> =>
  db.updateTable('schedules').set(values).where('id', '=', id).returningAll().executeTakeFirst()

export async function deleteRow(db: Database, id: string): Promise<void> {
  await db.deleteFrom('schedules').where('id', '=', id).execute()
}

/** Ids of those that exist, wherever they run. */
export async function existing(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db.selectFrom('schedules').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

/** Schedules that the Node owns itself. */
export async function countOfNode(db: Database, nodeId: number): Promise<number> {
  const { count } = await db
    .selectFrom('schedules')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('node_id', '=', nodeId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
