import type { ProcessesParts } from '#/processes/parts.ts'
import { findRow } from '#/processes/queries.ts'
import type { ProcessOwner, ProcessRecord, ProcessRow } from '#/processes/record.ts'

export type OwnerParts = Pick<ProcessesParts, 'instances' | 'nodes'>

export async function findProcess(
  parts: OwnerParts & Pick<ProcessesParts, 'store'>,
  id: number,
): Promise<ProcessRecord | undefined> {
  const row = await findRow(parts.store.db, id)
  return row && (await makeJoin(parts)(row))
}

/** Rows with their owners, each of which is read once. Undefined for a row whose owner was deleted between the reads. */
export function makeJoin(parts: OwnerParts): (row: ProcessRow) => Promise<ProcessRecord | undefined> {
  const owners = new Map<string, Promise<ProcessOwner | undefined>>()
  return async ({ instance_id, node_id, ...row }) => {
    const type = instance_id === null ? 'node' : 'instance'
    const id = instance_id ?? node_id
    if (id === null) return undefined
    const key = `${type}:${id}`
    const read = owners.get(key) ?? findOwner(parts, type, id)
    owners.set(key, read)
    const owner = await read
    return owner && recordOf(row, owner)
  }
}

export async function findOwner(
  { instances, nodes }: OwnerParts,
  type: ProcessOwner['type'],
  id: number,
): Promise<ProcessOwner | undefined> {
  const instance = type === 'instance' ? await instances.find(id) : undefined
  const node = type === 'instance' ? instance?.node : await nodes.find(id)
  return node && { type, id, node, instance }
}

export const recordOf = (
  row: Omit<ProcessRow, 'instance_id' | 'node_id'>,
  owner: ProcessOwner,
): ProcessRecord => ({
  ...row,
  owner,
  node: owner.node,
  environment: owner.instance?.environment === 'production' ? 'production' : 'development',
  instanceId: owner.instance?.id,
})
