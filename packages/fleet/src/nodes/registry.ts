import type { Clock } from '@fleet/kernel'
import type { Database, Store } from '@fleet/store'
import { addGrant } from '#/nodes/grants/queries.ts'
import { requireNode } from '#/nodes/locks.ts'
import type { NodeRegistry } from '#/nodes/nodes.ts'
import { addRoles, findIdsByName, findNodeByAddress, insertNode, updateNode } from '#/nodes/queries.ts'
import type { NodeEntry } from '#/nodes/record.ts'

export const makeRegistry = (store: Store, clock: Clock): NodeRegistry => ({
  put: async (entry) => {
    const now = clock.now().toISOString()
    const id = await store.transaction((db) => put(db, entry, now))
    return requireNode(store, id)
  },
})

async function put(db: Database, { roles, access, ...node }: NodeEntry, now: string): Promise<number> {
  const known = await findEntered(db, node)
  const id = known ?? (await insertNode(db, { ...node, created_at: now, provisioned_at: now }))
  if (known === undefined) await grantAccess(db, id, access, now)
  else await updateNode(db, id, connectionFacts(node))
  await addRoles(
    db,
    roles.map((role) => ({ node_id: id, role, status: 'active', created_at: now })),
  )
  return id
}

type NodeFacts = Omit<NodeEntry, 'roles' | 'access'>

// By address first: a Node that an operator renamed is still the same machine.
async function findEntered(db: Database, { wireguard_ip, name }: NodeFacts): Promise<number | undefined> {
  const byAddress = await findNodeByAddress(db, wireguard_ip)
  return byAddress?.id ?? (await findIdsByName(db, [name]))[0]?.id
}

const connectionFacts = ({ name: _name, apps_path: _path, ...facts }: NodeFacts): Omit<NodeFacts, 'name'> =>
  facts

async function grantAccess(
  db: Database,
  id: number,
  { to, by }: NodeEntry['access'],
  now: string,
): Promise<void> {
  const idOf = await requireNamed(db, [...to, ...by])
  const pairs = [
    ...to.map((name) => ({ consumer_node_id: id, serving_node_id: idOf(name) })),
    ...by.map((name) => ({ consumer_node_id: idOf(name), serving_node_id: id })),
  ]
  for (const pair of pairs) {
    if (pair.consumer_node_id !== pair.serving_node_id) await addGrant(db, { ...pair, created_at: now })
  }
}

async function requireNamed(db: Database, names: readonly string[]): Promise<(name: string) => number> {
  const ids = names.length === 0 ? [] : await findIdsByName(db, names)
  const byName = new Map(ids.map((node) => [node.name, node.id]))
  return (name) => {
    const id = byName.get(name)
    if (id === undefined) throw new Error(`no Node is stored under the name ${name}`)
    return id
  }
}
