import type { Database, NewRow } from '@fleet/store'
import type { ConnectionRecord } from '#/databases/record.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'

export const findServer = (db: Database, slug: string): Promise<ServerRecord | undefined> =>
  db.selectFrom('database_servers').selectAll().where('slug', '=', slug).executeTakeFirst()

export const serverById = (db: Database, id: number): Promise<ServerRecord | undefined> =>
  db.selectFrom('database_servers').selectAll().where('id', '=', id).executeTakeFirst()

/** By slug. */
export const listServers = (db: Database): Promise<ServerRecord[]> =>
  db.selectFrom('database_servers').selectAll().orderBy('slug').execute()

/** By id. */
export const serversOn = (db: Database, nodeId: number): Promise<ServerRecord[]> =>
  db.selectFrom('database_servers').selectAll().where('node_id', '=', nodeId).orderBy('id').execute()

export const serverOfProcess = (db: Database, processId: number): Promise<ServerRecord | undefined> =>
  db.selectFrom('database_servers').selectAll().where('process_id', '=', processId).executeTakeFirst()

/** Undefined when the slug is taken. */
export const insertServer = (
  db: Database,
  row: NewRow<'database_servers'>,
): Promise<ServerRecord | undefined> =>
  db
    .insertInto('database_servers')
    .values(row)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst()

export const updateServer = (
  db: Database,
  id: number,
  values: Partial<Omit<NewRow<'database_servers'>, 'id' | 'slug'>>,
): Promise<ServerRecord> =>
  db.updateTable('database_servers').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export const deleteServer = async (db: Database, id: number): Promise<void> =>
  void (await db.deleteFrom('database_servers').where('id', '=', id).execute())

/** Makes others who give a port of the Node to a server wait until this transaction ends. */
export const lockPortsOf = async (db: Database, nodeId: number): Promise<void> =>
  // A write that changes nothing takes the row lock in both dialects.
  void (await db.updateTable('nodes').set({ id: nodeId }).where('id', '=', nodeId).execute())

/** The ports of servers by id, after that lock. */
export async function portsOn(
  db: Database,
  nodeId: number,
): Promise<ReadonlyArray<{ readonly port: number; readonly slug: string }>> {
  await lockPortsOf(db, nodeId)
  return serversOn(db, nodeId)
}

/** By slug. */
export const databasesOf = (db: Database, serverId: number): Promise<ConnectionRecord[]> =>
  db
    .selectFrom('database_connections')
    .selectAll()
    .where('server_id', '=', serverId)
    .orderBy('slug')
    .execute()

/** How many databases each server has; none for one without. */
export async function countDatabases(db: Database): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('database_connections')
    .select((is) => ['server_id', is.fn.countAll<number>().as('count')])
    .where('server_id', 'is not', null)
    .groupBy('server_id')
    .execute()
  return new Map(rows.flatMap(({ server_id, count }) => (server_id === null ? [] : [[server_id, count]])))
}

/** What the Processes of a Node, and of its Instances, run. */
export const runtimesOn = async (db: Database, nodeId: number) =>
  db
    .selectFrom('processes')
    .leftJoin('instances', 'instances.id', 'processes.instance_id')
    .select(['processes.id', 'processes.runtime_config'])
    .where((is) => is.or([is('processes.node_id', '=', nodeId), is('instances.node_id', '=', nodeId)]))
    .execute()
