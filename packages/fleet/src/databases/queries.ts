import { type Database, fixedQuery, type NewRow } from '@fleet/store'
import type { ConnectionRecord, DatabaseUserRecord } from '#/databases/record.ts'

const rowsBySlug = fixedQuery((db: Database, slug: string) =>
  db.selectFrom('database_connections').selectAll().where('slug', '=', slug),
)

export const findConnection = async (db: Database, slug: string): Promise<ConnectionRecord | undefined> =>
  (await rowsBySlug(db, slug))[0]

/** By slug (DB-034). */
export const listConnections = (db: Database): Promise<ConnectionRecord[]> =>
  db.selectFrom('database_connections').selectAll().orderBy('slug').execute()

/** By id: those that name the Node. */
export const connectionsOn = (db: Database, nodeId: number): Promise<ConnectionRecord[]> =>
  db.selectFrom('database_connections').selectAll().where('node_id', '=', nodeId).orderBy('id').execute()

/** By id: those that name no Node, or one that was removed. */
export const connectionsWithoutNode = (db: Database): Promise<ConnectionRecord[]> =>
  db
    .selectFrom('database_connections')
    .selectAll()
    .where((is) =>
      is.or([
        is('node_id', 'is', null),
        is.not(
          is.exists(
            is
              .selectFrom('nodes')
              .select('nodes.id')
              .whereRef('nodes.id', '=', 'database_connections.node_id'),
          ),
        ),
      ]),
    )
    .orderBy('id')
    .execute()

/** Undefined when the slug is taken. */
export const insertConnection = (
  db: Database,
  row: NewRow<'database_connections'>,
): Promise<ConnectionRecord | undefined> =>
  db
    .insertInto('database_connections')
    .values(row)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst()

/** Makes others who change the connection wait until this transaction ends. Undefined when it is gone. */
export const lockConnection = (db: Database, id: number): Promise<ConnectionRecord | undefined> =>
  // A write that changes nothing takes the row lock in both dialects.
  db.updateTable('database_connections').set({ id }).where('id', '=', id).returningAll().executeTakeFirst()

/** Undefined when it is gone. */
export const updateConnection = (
  db: Database,
  id: number,
  values: Partial<Omit<NewRow<'database_connections'>, 'id' | 'slug'>>,
): Promise<ConnectionRecord | undefined> =>
  db.updateTable('database_connections').set(values).where('id', '=', id).returningAll().executeTakeFirst()

/** The removed row, or undefined when it was gone already. Its users go with it. */
export const deleteConnection = (db: Database, id: number): Promise<ConnectionRecord | undefined> =>
  db.deleteFrom('database_connections').where('id', '=', id).returningAll().executeTakeFirst()

/** By user name. */
export const listUsers = (db: Database, connectionId: number): Promise<DatabaseUserRecord[]> =>
  db
    .selectFrom('database_users')
    .selectAll()
    .where('database_connection_id', '=', connectionId)
    .orderBy('username')
    .execute()

export async function countUsers(db: Database, connectionId: number): Promise<number> {
  const { count } = await db
    .selectFrom('database_users')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('database_connection_id', '=', connectionId)
    .executeTakeFirstOrThrow()
  return count
}
