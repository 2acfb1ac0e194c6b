import type { ClusterRecord, MemberRecord } from '#/clusters/record.ts'
import type { NodeIdentity } from '@fleet/contract'
import { type HeldNode, holdNode } from '#/nodes/api.ts'
import { type Database, fixedQuery, type NewRow, type Row } from '@fleet/store'

/** Nodes with what Clusters ask of their roles. */
const nodes = (db: Database) =>
  db
    .selectFrom('nodes')
    .leftJoin('node_roles as router', (join) =>
      join.onRef('router.node_id', '=', 'nodes.id').on('router.role', '=', 'router'),
    )
    .leftJoin('node_roles as ingress', (join) =>
      join.onRef('ingress.node_id', '=', 'nodes.id').on('ingress.role', '=', 'ingress'),
    )
    .select([
      'nodes.id',
      'nodes.name',
      'nodes.status',
      'nodes.tld',
      'nodes.cluster_id',
      'nodes.wireguard_ip',
      'nodes.lan_ip',
      'router.status as routerStatus',
      'ingress.id as ingressId',
    ])

type NodeRow = Omit<MemberRecord, 'hasIngress'> & { readonly ingressId: number | null }

const memberOf = ({ ingressId, ...node }: NodeRow): MemberRecord => ({
  ...node,
  hasIngress: ingressId !== null,
})

const rowsById = fixedQuery((db: Database, id: number) =>
  db.selectFrom('clusters').selectAll().where('id', '=', id),
)
const membersById = fixedQuery((db: Database, clusterId: number) =>
  nodes(db).where('nodes.cluster_id', '=', clusterId).orderBy('nodes.name'),
)

export async function findCluster(db: Database, id: number): Promise<ClusterRecord | undefined> {
  const [cluster] = await rowsById(db, id)
  return cluster && { ...cluster, members: (await membersById(db, id)).map(memberOf) }
}

export async function findClusterByName(db: Database, name: string): Promise<ClusterRecord | undefined> {
  const row = await db.selectFrom('clusters').select('id').where('name', '=', name).executeTakeFirst()
  return row && findCluster(db, row.id)
}

export const findClusterByTld = (db: Database, tld: string): Promise<Row<'clusters'> | undefined> =>
  db.selectFrom('clusters').selectAll().where('tld', '=', tld).executeTakeFirst()

/** The Clusters with this name or this top-level domain, of one snapshot: a twin created meanwhile is in it whole or not at all. */
export const findHolders = (
  db: Database,
  { name, tld }: { readonly name: string; readonly tld: string | null },
): Promise<ReadonlyArray<Row<'clusters'>>> =>
  db
    .selectFrom('clusters')
    .selectAll()
    .where((is) => is.or([is('name', '=', name), ...(tld === null ? [] : [is('tld', '=', tld)])]))
    .execute()

/** The row alone, for questions that need no members. */
export const findStanding = async (db: Database, id: number): Promise<Row<'clusters'> | undefined> =>
  (await rowsById(db, id))[0]

/** By name, members by name. */
export async function listClusters(db: Database): Promise<ClusterRecord[]> {
  const clusters = await db.selectFrom('clusters').selectAll().orderBy('name').execute()
  const rows = await nodes(db).where('nodes.cluster_id', 'is not', null).orderBy('nodes.name').execute()
  const members = Map.groupBy(rows.map(memberOf), ({ cluster_id }) => cluster_id)
  return clusters.map((cluster) => ({ ...cluster, members: members.get(cluster.id) ?? [] }))
}

export async function findMemberNode(db: Database, nodeId: number): Promise<MemberRecord | undefined> {
  const node = await nodes(db).where('nodes.id', '=', nodeId).executeTakeFirst()
  return node && memberOf(node)
}

/** A Node outside the Cluster with this top-level domain of its own. */
export const findForeignOwner = (
  db: Database,
  clusterId: number,
  tld: string,
): Promise<NodeIdentity | undefined> =>
  db
    .selectFrom('nodes')
    .select(['id', 'name'])
    .where('tld', '=', tld)
    .where((where) => where.or([where('cluster_id', 'is', null), where('cluster_id', '!=', clusterId)]))
    .orderBy('id')
    .executeTakeFirst()

/** Undefined when its name or top-level domain is taken: the caller finds out which. */
export const insertCluster = (db: Database, row: NewRow<'clusters'>): Promise<Row<'clusters'> | undefined> =>
  db
    .insertInto('clusters')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export type ClusterValues = Partial<Pick<NewRow<'clusters'>, 'name' | 'tld' | 'state'>>

/** False when the Cluster is gone. */
export async function updateCluster(db: Database, id: number, values: ClusterValues): Promise<boolean> {
  const updated = await db.updateTable('clusters').set(values).where('id', '=', id).executeTakeFirst()
  return updated.numUpdatedRows > 0n
}

/** Takes a change back where it is stored: a value that somebody else has stored stays. */
export async function revertCluster(
  db: Database,
  { id, name, tld, state }: Row<'clusters'>,
  { name: newName = name, tld: newTld = tld, state: newState = state }: ClusterValues,
): Promise<void> {
  const stored = db.updateTable('clusters').where('id', '=', id)
  if (newName !== name) await stored.set({ name }).where('name', '=', newName).execute()
  if (newTld !== tld) await stored.set({ tld }).where('tld', 'is not distinct from', newTld).execute()
  if (newState !== state) await stored.set({ state }).where('state', '=', newState).execute()
}

export async function deleteCluster(db: Database, id: number): Promise<void> {
  await db.deleteFrom('clusters').where('id', '=', id).execute()
}

/** False when the Node is gone or in a Cluster: of two that attach it at once, one stores it. */
export async function joinCluster(db: Database, nodeId: number, clusterId: number): Promise<boolean> {
  const joined = await db
    .updateTable('nodes')
    .set({ cluster_id: clusterId })
    .where('id', '=', nodeId)
    .where('cluster_id', 'is', null)
    .executeTakeFirst()
  return joined.numUpdatedRows > 0n
}

export async function leaveCluster(db: Database, nodeId: number, clusterId: number): Promise<void> {
  await db
    .updateTable('nodes')
    .set({ cluster_id: null })
    .where('id', '=', nodeId)
    .where('cluster_id', '=', clusterId)
    .execute()
}

/** What the work of the kind is about, for each piece that has not ended, also where it failed for good. */
export async function listWorkOf(db: Database, kind: string): Promise<readonly unknown[]> {
  const rows = await db.selectFrom('work').select('payload').where('kind', '=', kind).orderBy('id').execute()
  return rows.map((row): unknown => JSON.parse(row.payload))
}

/** Until the transaction ends whoever changes one of these Nodes waits for it. */
export const holdNodes = (tx: Database, ids: readonly number[]): Promise<readonly HeldNode[]> =>
  inOrder(ids, (id) => holdNode(tx, id))

type HeldCluster = Pick<Row<'clusters'>, 'id' | 'state' | 'tld'>

/** The same for Clusters. */
export const holdClusters = (tx: Database, ids: readonly number[]): Promise<readonly HeldCluster[]> =>
  inOrder(ids, (id) =>
    tx
      .updateTable('clusters')
      .set((row) => ({ tld: row.ref('tld') }))
      .where('id', '=', id)
      .returning(['id', 'state', 'tld'])
      .executeTakeFirst(),
  )

/** One after the other by id, each once, so that no two transactions wait for each other. */
async function inOrder<T>(
  ids: readonly number[],
  hold: (id: number) => Promise<T | undefined>,
): Promise<readonly T[]> {
  const held: T[] = []
  for (const id of new Set(ids.toSorted((one, other) => one - other))) {
    const row = await hold(id)
    if (row) held.push(row)
  }
  return held
}

type RouterRole = Pick<NewRow<'node_roles'>, 'status' | 'created_at'> &
  Partial<Pick<NewRow<'node_roles'>, 'failed_step' | 'error_code'>>

/** Stores the `router` role of a Node; no other domain writes it (ROLE-009). */
export async function putRouterRole(db: Database, nodeId: number, role: RouterRole): Promise<void> {
  const { created_at, status, failed_step = null, error_code = null } = role
  const values = { status, failed_step, error_code }
  await db
    .insertInto('node_roles')
    .values({ node_id: nodeId, role: 'router', created_at, ...values })
    .onConflict((conflict) => conflict.columns(['node_id', 'role']).doUpdateSet(values))
    .execute()
}

export async function deleteRouterRole(db: Database, nodeId: number): Promise<void> {
  await db.deleteFrom('node_roles').where('node_id', '=', nodeId).where('role', '=', 'router').execute()
}
