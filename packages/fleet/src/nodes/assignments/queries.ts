import type { RoleName } from '@fleet/contract'
import type { Database, NewRow, Row } from '@fleet/store'

export type RoleRow = Row<'node_roles'>
type Change = Partial<Omit<NewRow<'node_roles'>, 'id' | 'node_id' | 'role'>>

export const findRole = (db: Database, nodeId: number, role: RoleName): Promise<RoleRow | undefined> =>
  db
    .selectFrom('node_roles')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('role', '=', role)
    .executeTakeFirst()

/** Every assignment of the Node, and that of one role on any Node. */
export const findRolesBeside = (db: Database, nodeId: number, role: RoleName): Promise<RoleRow[]> =>
  db
    .selectFrom('node_roles')
    .selectAll()
    .where(({ or, eb }) => or([eb('node_id', '=', nodeId), eb('role', '=', role)]))
    .orderBy('node_id')
    .orderBy('role')
    .execute()

/** Every assignment of these roles in the fleet, by Node. */
export const findHolders = (db: Database, roles: readonly RoleName[]): Promise<RoleRow[]> =>
  db
    .selectFrom('node_roles')
    .selectAll()
    .where('role', 'in', roles)
    .orderBy('node_id')
    .orderBy('role')
    .execute()

/** Every assignment of the fleet, by Node and id. */
export const listAllRoles = (db: Database): Promise<RoleRow[]> =>
  db.selectFrom('node_roles').selectAll().orderBy('node_id').orderBy('id').execute()

/** Makes others who would claim a role on any Node wait until this transaction ends. */
export const lockAssignments = async (db: Database): Promise<void> => {
  // A write that changes nothing takes the row lock in both dialects; the oldest Node stands for all.
  await db
    .updateTable('nodes')
    .set(({ ref }) => ({ id: ref('id') }))
    .where('id', '=', (eb) => eb.selectFrom('nodes').select(({ fn }) => fn.min('id').as('id')))
    .execute()
}

export type HeldNode = Pick<Row<'nodes'>, 'id' | 'cluster_id' | 'tld'>

/** Until the transaction ends whoever holds or changes the Node waits for it, on PostgreSQL by this write. */
export const holdNode = (tx: Database, id: number): Promise<HeldNode | undefined> =>
  tx
    .updateTable('nodes')
    .set((row) => ({ tld: row.ref('tld') }))
    .where('id', '=', id)
    .returning(['id', 'cluster_id', 'tld'])
    .executeTakeFirst()

/**
 * In the transaction that stores what needs the role: whether the Node has it and nobody takes it away. Who does that waits until the
 * transaction ends, and sees what was stored (decision 0377).
 */
export async function holdRole(tx: Database, nodeId: number, role: RoleName): Promise<boolean> {
  await holdNode(tx, nodeId)
  const row = await findRole(tx, nodeId, role)
  return row !== undefined && row.status !== 'removing' && !(row.failed_step ?? '').startsWith('remove:')
}

/** Takes the assignment for a piece of work; the stored settings of a known one stay. */
export const claimRole = (db: Database, claim: NewRow<'node_roles'>): Promise<RoleRow> =>
  db
    .insertInto('node_roles')
    .values(claim)
    .onConflict((conflict) =>
      conflict.columns(['node_id', 'role']).doUpdateSet({
        status: claim.status,
        claimed_at: claim.claimed_at ?? null,
        failed_step: null,
        error_code: null,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()

/** Changes an assignment only while the claim on it is still the same; false when somebody else took it over. */
export async function changeClaimed(db: Database, claim: RoleRow, change: Change): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('node_roles')
    .set(change)
    .where('id', '=', claim.id)
    .where('status', '=', claim.status)
    .where('claimed_at', claim.claimed_at === null ? 'is' : '=', claim.claimed_at)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export const changeRole = async (db: Database, id: number, change: Change): Promise<void> => {
  await db.updateTable('node_roles').set(change).where('id', '=', id).execute()
}

/** False when somebody else has taken the assignment over since. */
export async function deleteClaimed(db: Database, claim: RoleRow): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('node_roles')
    .where('id', '=', claim.id)
    .where('status', '=', claim.status)
    .where('claimed_at', claim.claimed_at === null ? 'is' : '=', claim.claimed_at)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Development exclusions of a Node go with its `app-dev` role (NODE-119). */
export const deleteExclusions = async (db: Database, nodeId: number): Promise<void> => {
  await db.deleteFrom('node_exclusions').where('node_id', '=', nodeId).execute()
}
