import type { Database, Row } from '@fleet/store'

const SETTING = 'network.'

/** A Node as the private network sees it. */
export type MemberRow = Pick<
  Row<'nodes'>,
  'id' | 'name' | 'wireguard_ip' | 'wireguard_public_key' | 'public_ssh_host'
>

/** Values of the facts whose names begin with `network.` and the part, by the rest of their names. */
export async function findFacts(db: Database, part = ''): Promise<ReadonlyMap<string, string>> {
  const prefix = `${SETTING}${part}`
  const rows = await db
    .selectFrom('facts')
    .selectAll()
    .where('name', 'like', `${prefix}%`)
    .orderBy('name')
    .execute()
  return new Map(rows.map(({ name, value }) => [name.slice(prefix.length), value]))
}

export async function putFact(db: Database, name: string, value: string): Promise<void> {
  await db
    .insertInto('facts')
    .values({ name: `${SETTING}${name}`, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** False when the fact already exists. */
export async function addFact(db: Database, name: string, value: string): Promise<boolean> {
  const added = await db
    .insertInto('facts')
    .values({ name: `${SETTING}${name}`, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .executeTakeFirst()
  return added !== undefined
}

export async function dropFacts(db: Database, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await db
    .deleteFrom('facts')
    .where(
      'name',
      'in',
      names.map((name) => `${SETTING}${name}`),
    )
    .execute()
}

/** False when there was none. */
export async function dropFact(db: Database, name: string): Promise<boolean> {
  const dropped = await db
    .deleteFrom('facts')
    .where('name', '=', `${SETTING}${name}`)
    .returning('name')
    .executeTakeFirst()
  return dropped !== undefined
}

export async function takenAddresses(db: Database): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('nodes')
    .select('wireguard_ip')
    .where('wireguard_ip', 'is not', null)
    .execute()
  return new Set(rows.flatMap(({ wireguard_ip }) => wireguard_ip ?? []))
}

/** Id of the Node that holds a role or is about to; an active one wins. */
export async function findHolder(db: Database, role: 'vpn' | 'gateway'): Promise<number | undefined> {
  const row = await db
    .selectFrom('node_roles')
    .select('node_id')
    .where('role', '=', role)
    .where('status', 'in', ['active', 'provisioning'])
    .orderBy('status')
    .orderBy('id')
    .executeTakeFirst()
  return row?.node_id
}

/** Nodes with a tunnel address and a key, by id. */
export const listMembers = (db: Database): Promise<MemberRow[]> =>
  db
    .selectFrom('nodes')
    .select(['id', 'name', 'wireguard_ip', 'wireguard_public_key', 'public_ssh_host'])
    .where('wireguard_ip', 'is not', null)
    .where('wireguard_public_key', 'is not', null)
    .orderBy('id')
    .execute()

/** The other Nodes that have a key, by id. */
export const listOtherKeys = (
  db: Database,
  nodeId: number,
): Promise<Array<Pick<Row<'nodes'>, 'id' | 'name' | 'wireguard_public_key'>>> =>
  db
    .selectFrom('nodes')
    .select(['id', 'name', 'wireguard_public_key'])
    .where('id', '<>', nodeId)
    .where('wireguard_public_key', 'is not', null)
    .orderBy('id')
    .execute()

export async function putPublicKey(db: Database, nodeId: number, publicKey: string): Promise<void> {
  await db.updateTable('nodes').set({ wireguard_public_key: publicKey }).where('id', '=', nodeId).execute()
}

export async function findIdByName(db: Database, name: string): Promise<number | undefined> {
  const row = await db.selectFrom('nodes').select('id').where('name', '=', name).executeTakeFirst()
  return row?.id
}

/** Active assignments of a Node, the oldest first. */
export const listActiveRoles = (
  db: Database,
  nodeId: number,
): Promise<Array<Pick<Row<'node_roles'>, 'id' | 'role'>>> =>
  db
    .selectFrom('node_roles')
    .select(['id', 'role'])
    .where('node_id', '=', nodeId)
    .where('status', '=', 'active')
    .orderBy('id')
    .execute()

export const findNodeIds = async (db: Database): Promise<readonly number[]> =>
  (await db.selectFrom('nodes').select('id').execute()).map(({ id }) => id)
