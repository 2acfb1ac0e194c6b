import type { RoleName } from '@fleet/contract'
import type { Database, NewRow, Row } from '@fleet/store'

/** A stored rule with the name of its Node. */
export interface RuleRecord extends Row<'firewall_rules'> {
  readonly node: string
}

const rules = (db: Database) =>
  db
    .selectFrom('firewall_rules')
    .innerJoin('nodes', 'nodes.id', 'firewall_rules.node_id')
    .selectAll('firewall_rules')
    .select('nodes.name as node')

/** Rules of these Nodes, by Node and name (FW-003). */
export const listRules = async (db: Database, nodeIds: readonly number[]): Promise<RuleRecord[]> =>
  nodeIds.length === 0
    ? []
    : rules(db)
        .where('firewall_rules.node_id', 'in', nodeIds)
        .orderBy('nodes.name')
        .orderBy('firewall_rules.name')
        .execute()

export const listRulesOf = (db: Database, nodeId: number): Promise<RuleRecord[]> => listRules(db, [nodeId])

export const findRule = (db: Database, nodeId: number, name: string): Promise<RuleRecord | undefined> =>
  rules(db)
    .where('firewall_rules.node_id', '=', nodeId)
    .where('firewall_rules.name', '=', name)
    .executeTakeFirst()

type Values = Pick<NewRow<'firewall_rules'>, 'action' | 'source' | 'protocol' | 'port'>

/** A rule of the Node with the same source, protocol and port that does the opposite. */
export const findOpposite = (
  db: Database,
  nodeId: number,
  { action, source, protocol, port }: Values,
): Promise<RuleRecord | undefined> =>
  rules(db)
    .where('firewall_rules.node_id', '=', nodeId)
    .where('action', '!=', action)
    .where('source', '=', source)
    .where('protocol', '=', protocol)
    .where('port', '=', port)
    .orderBy('firewall_rules.name')
    .executeTakeFirst()

export const countRules = async (db: Database, nodeId: number): Promise<number> => {
  const { count } = await db
    .selectFrom('firewall_rules')
    .select((from) => from.fn.countAll<number | string>().as('count'))
    .where('node_id', '=', nodeId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const insertRule = async (db: Database, row: NewRow<'firewall_rules'>): Promise<number> =>
  (await db.insertInto('firewall_rules').values(row).returning('id').executeTakeFirstOrThrow()).id

export type Progress = Pick<Row<'firewall_rules'>, 'status' | 'failed_step' | 'error_code'> &
  Partial<Pick<Row<'firewall_rules'>, 'backend_status'>>

export async function updateRule(db: Database, id: number, progress: Progress): Promise<void> {
  await db.updateTable('firewall_rules').set(progress).where('id', '=', id).execute()
}

export async function deleteRule(db: Database, id: number): Promise<void> {
  await db.deleteFrom('firewall_rules').where('id', '=', id).execute()
}

/** Every role of the Node, whatever its status. */
export async function rolesOn(db: Database, nodeId: number): Promise<RoleName[]> {
  const roles = await db
    .selectFrom('node_roles')
    .select('role')
    .where('node_id', '=', nodeId)
    .orderBy('role')
    .execute()
  return roles.map(({ role }) => role)
}

/** Active roles of the Node with the ids of their assignments, by id. */
export async function activeRoles(
  db: Database,
  nodeId: number,
): Promise<readonly { readonly id: number; readonly role: RoleName }[]> {
  const roles = await db
    .selectFrom('node_roles')
    .select(['id', 'role'])
    .where('node_id', '=', nodeId)
    .where('status', '=', 'active')
    .orderBy('id')
    .execute()
  return roles.map(({ id, role }) => ({ id, role }))
}

export interface LanNode {
  readonly id: number
  readonly lan_ip: string
  /** It is the Router, is being made one, or still serves until it is withdrawn. */
  readonly isRouter: boolean
}

/** Members of the Cluster that have a LAN address, and those of the other Nodes that have one, by id. */
export async function lanNodesOf(
  db: Database,
  clusterId: number,
  others: readonly number[] = [],
): Promise<readonly LanNode[]> {
  const rows = await db
    .selectFrom('nodes')
    .leftJoin('node_roles as router', (join) =>
      join.onRef('router.node_id', '=', 'nodes.id').on('router.role', '=', 'router'),
    )
    .select(['nodes.id', 'nodes.lan_ip', 'router.id as routerId'])
    .where((where) =>
      where.or([
        where('nodes.cluster_id', '=', clusterId),
        ...(others.length === 0 ? [] : [where('nodes.id', 'in', others)]),
      ]),
    )
    .where('nodes.lan_ip', 'is not', null)
    .orderBy('nodes.id')
    .execute()
  return rows.flatMap(({ id, lan_ip, routerId }) =>
    lan_ip === null ? [] : [{ id, lan_ip, isRouter: routerId !== null }],
  )
}
