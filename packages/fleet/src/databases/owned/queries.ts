import { posix } from 'node:path'
import type { Database, NewRow, Row } from '@fleet/store'
import type { ConnectionRecord } from '#/databases/record.ts'

export type ResidueRecord = Row<'database_residues'>

/** By id. */
export const ownedBy = (db: Database, instanceId: number): Promise<ConnectionRecord[]> =>
  db
    .selectFrom('database_connections')
    .selectAll()
    .where('owner_instance_id', '=', instanceId)
    .orderBy('id')
    .execute()

/** The Instance while it is being removed. */
export const findLeaving = (
  db: Database,
  instanceId: number,
): Promise<Pick<Row<'instances'>, 'id' | 'name' | 'removal_force'> | undefined> =>
  db
    .selectFrom('instances')
    .select(['id', 'name', 'removal_force'])
    .where('id', '=', instanceId)
    .where('status', '=', 'removing')
    .executeTakeFirst()

/** By id: SQLite files in the checkouts of these Instances, which are deleted with them; in production nothing of a home is (INS-118). */
export async function filesInCheckouts(
  db: Database,
  instanceIds: readonly number[],
): Promise<readonly ConnectionRecord[]> {
  const rows = await db
    .selectFrom('database_connections')
    .innerJoin('instances', 'instances.node_id', 'database_connections.node_id')
    .selectAll('database_connections')
    .select('instances.checkout_path')
    .where('instances.id', 'in', instanceIds)
    .where('instances.environment', '=', 'development')
    .where('database_connections.driver', '=', 'sqlite')
    .orderBy('database_connections.id')
    .execute()
  return rows
    .filter(
      ({ checkout_path: checkout, path }) =>
        checkout !== null &&
        path !== null &&
        // Earlier releases took every spelling of a path.
        posix.normalize(path).startsWith(`${checkout}/`),
    )
    .map(({ checkout_path: _, ...record }) => record)
}

export const connectionById = (db: Database, id: number): Promise<ConnectionRecord | undefined> =>
  db.selectFrom('database_connections').selectAll().where('id', '=', id).executeTakeFirst()

/** Undefined, and nothing changes, when another request has stored something else by now. */
export const movePending = (
  db: Database,
  id: number,
  { from, to }: { readonly from: string | null; readonly to: string | null },
): Promise<ConnectionRecord | undefined> =>
  db
    .updateTable('database_connections')
    .set({ pending_step: to })
    .where('id', '=', id)
    .where('pending_step', from === null ? 'is' : '=', from)
    .returningAll()
    .executeTakeFirst()

/** What names the user of an Instance. */
export const ownerNames = (
  db: Database,
  instanceId: number,
): Promise<{ readonly project: string; readonly instance: string } | undefined> =>
  db
    .selectFrom('instances')
    .innerJoin('projects', 'projects.id', 'instances.project_id')
    .select(['projects.slug as project', 'instances.name as instance'])
    .where('instances.id', '=', instanceId)
    .executeTakeFirst()

/** Whether a connection on the server other than that logs in with the name or, unless only logins count, has such a user. */
export async function usesUser(
  db: Database,
  serverId: number,
  username: string,
  exceptId = 0,
  what: 'logins' | 'users' = 'users',
): Promise<boolean> {
  const login = await db
    .selectFrom('database_connections')
    .select('id')
    .where('server_id', '=', serverId)
    .where('username', '=', username)
    .where('id', '!=', exceptId)
    .executeTakeFirst()
  if (login || what === 'logins') return login !== undefined
  const created = await db
    .selectFrom('database_users')
    .innerJoin('database_connections', 'database_connections.id', 'database_users.database_connection_id')
    .select('database_users.id')
    .where('database_connections.server_id', '=', serverId)
    .where('database_users.username', '=', username)
    .where('database_connections.id', '!=', exceptId)
    .executeTakeFirst()
  return created !== undefined
}

/** Which connection on the server has the name as its login for somebody else, or as a user who was created in it. */
export const whoHasLogin = (
  db: Database,
  {
    serverId,
    username,
    ownerId,
  }: {
    readonly serverId: number
    readonly username: string
    readonly ownerId: number | null
  },
): Promise<Pick<ConnectionRecord, 'id' | 'slug'> | undefined> =>
  db
    .selectFrom('database_connections')
    .leftJoin('database_users', (join) =>
      join
        .onRef('database_users.database_connection_id', '=', 'database_connections.id')
        .on('database_users.username', '=', username),
    )
    .select(['database_connections.id', 'database_connections.slug'])
    .where('database_connections.server_id', '=', serverId)
    .where((is) =>
      is.or([
        is('database_users.id', 'is not', null),
        is.and([
          is('database_connections.username', '=', username),
          // Every database without an Instance has a login of its own.
          ...(ownerId === null
            ? []
            : [
                is.or([
                  is('database_connections.owner_instance_id', 'is', null),
                  is('database_connections.owner_instance_id', '!=', ownerId),
                ]),
              ]),
        ]),
      ]),
    )
    .orderBy('database_connections.id')
    .executeTakeFirst()

/** Connections of the server in which a user of this name was created. */
export const connectionsWithUser = (
  db: Database,
  serverId: number,
  username: string,
): Promise<readonly Pick<ConnectionRecord, 'id' | 'slug'>[]> =>
  db
    .selectFrom('database_users')
    .innerJoin('database_connections', 'database_connections.id', 'database_users.database_connection_id')
    .select(['database_connections.id', 'database_connections.slug'])
    .where('database_connections.server_id', '=', serverId)
    .where('database_users.username', '=', username)
    .execute()

/** One row for each user of a connection (DBS-020). */
export const putUser = (db: Database, row: NewRow<'database_users'>): Promise<Row<'database_users'>> =>
  db
    .insertInto('database_users')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['database_connection_id', 'username']).doUpdateSet((is) => ({
        privileges: is.ref('excluded.privileges'),
        created_by: is.ref('excluded.created_by'),
        created_at: is.ref('excluded.created_at'),
        role: is.ref('excluded.role'),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteUser = async (db: Database, connectionId: number, username: string): Promise<void> =>
  void (await db
    .deleteFrom('database_users')
    .where('database_connection_id', '=', connectionId)
    .where('username', '=', username)
    .execute())

/** Who may write in a database of PostgreSQL as a member of the role that owns it: an earlier version granted that. */
export interface UnsharedUser {
  readonly id: number
  readonly username: string
  readonly connectionId: number
  readonly slug: string
  readonly server_id: number
}

/** By id; on the servers of a Node, or of one name on one server. */
export async function unsharedUsers(
  db: Database,
  of: { readonly nodeId: number } | { readonly serverId: number; readonly username: string },
): Promise<readonly UnsharedUser[]> {
  const query = db
    .selectFrom('database_users')
    .innerJoin('database_connections', 'database_connections.id', 'database_users.database_connection_id')
    .innerJoin('database_servers', 'database_servers.id', 'database_connections.server_id')
    .select([
      'database_users.id',
      'database_users.username',
      'database_connections.id as connectionId',
      'database_connections.slug',
      'database_servers.id as server_id',
    ])
    .where('database_servers.engine', '=', 'pgsql')
    .where('database_connections.pending_step', 'is', null)
    .where('database_users.role', 'is', null)
    .where('database_users.privileges', 'like', `${WRITES}%`)
    .orderBy('database_users.id')
  return 'nodeId' in of
    ? query.where('database_servers.node_id', '=', of.nodeId).execute()
    : query
        .where('database_servers.id', '=', of.serverId)
        .where('database_users.username', '=', of.username)
        .execute()
}

/** The beginning of the privileges of who may write. */
export const WRITES = 'ALL PRIVILEGES'

export const setRoleOfUser = async (db: Database, id: number, role: string): Promise<void> =>
  void (await db.updateTable('database_users').set({ role }).where('id', '=', id).execute())

export const deleteAttachmentsTo = async (db: Database, slug: string): Promise<void> =>
  void (await db.deleteFrom('database_attachments').where('slug', '=', slug).execute())

export const insertResidue = async (db: Database, row: NewRow<'database_residues'>): Promise<void> =>
  void (await db.insertInto('database_residues').values(row).execute())

/** By id: what is to be dropped on the servers of a Node. */
export const residuesOn = (db: Database, nodeId: number): Promise<ResidueRecord[]> =>
  db
    .selectFrom('database_residues')
    .innerJoin('database_servers', 'database_servers.id', 'database_residues.server_id')
    .selectAll('database_residues')
    .where('database_servers.node_id', '=', nodeId)
    .orderBy('database_residues.id')
    .execute()

export const residuesOf = (db: Database, serverId: number): Promise<ResidueRecord[]> =>
  db.selectFrom('database_residues').selectAll().where('server_id', '=', serverId).orderBy('id').execute()

/** Of one database on a server, with the Node of the server. */
export const residuesNamed = (
  db: Database,
  serverId: number,
  database: string,
): Promise<ReadonlyArray<{ readonly node_id: number; readonly node: string }>> =>
  db
    .selectFrom('database_residues')
    .innerJoin('database_servers', 'database_servers.id', 'database_residues.server_id')
    .innerJoin('nodes', 'nodes.id', 'database_servers.node_id')
    .select(['nodes.id as node_id', 'nodes.name as node'])
    .where('database_residues.server_id', '=', serverId)
    .where('database_residues.database_name', '=', database)
    .execute()

export const deleteResidue = async (db: Database, id: number): Promise<void> =>
  void (await db.deleteFrom('database_residues').where('id', '=', id).execute())
