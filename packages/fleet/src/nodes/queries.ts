import type { CallerRecord, NodeRecord } from '#/nodes/record.ts'
import type { NodeIdentity, RoleName } from '@fleet/contract'
import { type Database, fixedQuery, type NewRow, type Row } from '@fleet/store'

type JoinedRow = Row<'nodes'> & { readonly active_role: RoleName | null }

/** One row per active role, so that a Node and its roles are one query. */
const joined = (db: Database) =>
  db
    .selectFrom('nodes')
    .leftJoin('node_roles', (join) =>
      join.onRef('node_roles.node_id', '=', 'nodes.id').on('node_roles.status', '=', 'active'),
    )
    .selectAll('nodes')
    .select('node_roles.role as active_role')

/** Rows of one Node are adjacent. */
function collect(rows: readonly JoinedRow[]): NodeRecord[] {
  const records: (NodeRecord & { readonly activeRoles: RoleName[] })[] = []
  for (const { active_role: role, ...node } of rows) {
    const last = records.at(-1)
    if (last?.id === node.id) last.activeRoles.push(...(role ? [role] : []))
    else records.push({ ...node, activeRoles: role ? [role] : [] })
  }
  return records
}

// Every request asks who calls and what it is about, so these are made once.
const rowsById = fixedQuery((db: Database, id: number) =>
  joined(db).where('nodes.id', '=', id).orderBy('node_roles.role'),
)
const identityById = fixedQuery((db: Database, id: number) =>
  db.selectFrom('nodes').select(['id', 'name']).where('id', '=', id),
)
const callersByAddress = fixedQuery((db: Database, address: string) =>
  db
    .selectFrom('nodes')
    .leftJoin('node_roles as gateway', (join) =>
      join
        .onRef('gateway.node_id', '=', 'nodes.id')
        .on('gateway.role', '=', 'gateway')
        .on('gateway.status', '=', 'active'),
    )
    .select(['nodes.id', 'nodes.name', 'nodes.status', 'gateway.role as gateway_role'])
    .where('nodes.wireguard_ip', '=', address),
)

export const findNode = async (db: Database, id: number): Promise<NodeRecord | undefined> =>
  collect(await rowsById(db, id))[0]

export async function findNodeByAddress(db: Database, address: string): Promise<NodeRecord | undefined> {
  const rows = await joined(db).where('nodes.wireguard_ip', '=', address).orderBy('node_roles.role').execute()
  return collect(rows)[0]
}

export async function findNodeByName(db: Database, name: string): Promise<NodeRecord | undefined> {
  const rows = await joined(db).where('nodes.name', '=', name).orderBy('node_roles.role').execute()
  return collect(rows)[0]
}

/** The Nodes whose machine has shown this host key, by id. */
export async function listPinned(db: Database, fingerprint: string): Promise<readonly NodeRecord[]> {
  const rows = await joined(db)
    .where('nodes.ssh_host_fingerprint', '=', fingerprint)
    .orderBy('nodes.id')
    .execute()
  return collect(rows)
}

export const findIdentity = async (db: Database, id: number): Promise<NodeIdentity | undefined> =>
  (await identityById(db, id))[0]

export async function findCaller(db: Database, address: string): Promise<CallerRecord | undefined> {
  const [found] = await callersByAddress(db, address)
  if (!found) return undefined
  const { gateway_role, ...caller } = found
  return { ...caller, isGateway: gateway_role !== null }
}

export async function listNodes(db: Database): Promise<NodeRecord[]> {
  return collect(await joined(db).orderBy('nodes.name').orderBy('node_roles.role').execute())
}

/** The caller's own Node and those it holds grants on, by name (GW-009). */
export async function listAddressableNodes(db: Database, consumerId: number): Promise<NodeRecord[]> {
  const rows = await joined(db)
    .where((where) =>
      where.or([
        where('nodes.id', '=', consumerId),
        where(
          'nodes.id',
          'in',
          where
            .selectFrom('node_grants')
            .select('serving_node_id')
            .where('consumer_node_id', '=', consumerId),
        ),
      ]),
    )
    .orderBy('nodes.name')
    .orderBy('node_roles.role')
    .execute()
  return collect(rows)
}

const gatewayRows = fixedQuery((db: Database) => {
  const gateways = db
    .selectFrom('node_roles as gateway')
    .select('gateway.node_id')
    .where('gateway.role', '=', 'gateway')
    .where('gateway.status', '=', 'active')
  return joined(db)
    .where('nodes.status', '=', 'active')
    .where('nodes.id', 'in', gateways)
    .orderBy('nodes.id')
    .orderBy('node_roles.role')
})

export const findGatewayNode = async (db: Database): Promise<NodeRecord | undefined> =>
  collect(await gatewayRows(db))[0]

const addressesBarred = fixedQuery((db: Database) => {
  const gateways = db
    .selectFrom('node_roles as gateway')
    .innerJoin('nodes as host', 'host.id', 'gateway.node_id')
    .select('gateway.node_id')
    .where('gateway.role', '=', 'gateway')
    .where('gateway.status', '=', 'active')
    .where('host.status', '=', 'active')
  return db
    .selectFrom('nodes')
    .select('wireguard_ip')
    .where(({ and, eb, exists, not, or, selectFrom }) =>
      or([
        eb('nodes.status', '<>', 'active'),
        and([
          eb('nodes.id', 'not in', gateways),
          not(
            exists(
              selectFrom('node_grants')
                .select('serving_node_id')
                .whereRef('consumer_node_id', '=', 'nodes.id')
                .where('serving_node_id', 'in', gateways),
            ),
          ),
        ]),
      ]),
    )
    .orderBy('nodes.id')
})

/** Tunnel addresses of Nodes that the gateway identifies as nobody with access to it. */
export const findBarredAddresses = async (db: Database): Promise<readonly string[]> =>
  (await addressesBarred(db)).flatMap(({ wireguard_ip: address }) => address ?? [])

export const findIdentities = (db: Database, ids: readonly number[]): Promise<NodeIdentity[]> =>
  db.selectFrom('nodes').select(['id', 'name']).where('id', 'in', ids).orderBy('id').execute()

export const findIdsByName = (db: Database, names: readonly string[]): Promise<NodeIdentity[]> =>
  db.selectFrom('nodes').select(['id', 'name']).where('name', 'in', names).execute()

export const insertNode = async (db: Database, node: NewRow<'nodes'>): Promise<number> =>
  (await db.insertInto('nodes').values(node).returning('id').executeTakeFirstOrThrow()).id

export async function updateNode(
  db: Database,
  id: number,
  values: Partial<Omit<NewRow<'nodes'>, 'id'>>,
): Promise<void> {
  await db.updateTable('nodes').set(values).where('id', '=', id).execute()
}

export const findUpdatingIds = async (db: Database): Promise<number[]> =>
  (await db.selectFrom('nodes').select('id').where('updating', 'is not', null).orderBy('id').execute()).map(
    ({ id }) => id,
  )

/** Until the transaction ends whoever changes it waits for it, on PostgreSQL by this write. */
export const holdUpdating = (tx: Database, id: number): Promise<Pick<Row<'nodes'>, 'updating'> | undefined> =>
  tx
    .updateTable('nodes')
    .set((row) => ({ updating: row.ref('updating') }))
    .where('id', '=', id)
    .returning('updating')
    .executeTakeFirst()

/** Roles, grants, exclusions, firewall rules, artifacts and managers go with it. */
export const deleteNode = async (db: Database, id: number): Promise<void> => {
  await db.deleteFrom('nodes').where('id', '=', id).execute()
}

/** Another Node of this name, in whatever case: the one that has it exactly, else the oldest. */
export async function findNamesake(
  db: Database,
  { id, name }: NodeIdentity,
): Promise<NodeIdentity | undefined> {
  const found = await db
    .selectFrom('nodes')
    .select(['id', 'name'])
    .where(({ eb, fn }) => eb(fn<string>('lower', ['name']), '=', name.toLowerCase()))
    .where('id', '<>', id)
    .orderBy('id')
    .execute()
  return found.find((node) => node.name === name) ?? found[0]
}

export const listRoles = (db: Database, nodeId: number): Promise<Row<'node_roles'>[]> =>
  db.selectFrom('node_roles').selectAll().where('node_id', '=', nodeId).orderBy('role').execute()

/** A role that is stored already stays as it is. */
export async function addRoles(db: Database, roles: readonly NewRow<'node_roles'>[]): Promise<void> {
  if (roles.length === 0) return
  await db
    .insertInto('node_roles')
    .values(roles)
    .onConflict((conflict) => conflict.columns(['node_id', 'role']).doNothing())
    .execute()
}
