import { type OwnerDeps, ownersOf } from '#/instances/api.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { findRow } from '#/processes/queries.ts'
import type { ProcessOwner, ProcessRecord, ProcessRow } from '#/processes/record.ts'

export async function findProcess(
  deps: OwnerDeps & Pick<ProcessesDeps, 'store'>,
  id: number,
): Promise<ProcessRecord | undefined> {
  const row = await findRow(deps.store.db, id)
  return row && (await makeJoin(deps)(row))
}

/** Rows with their owners, each of which is read once. Undefined for a row whose owner was deleted between the reads. */
export function makeJoin(deps: OwnerDeps): (row: ProcessRow) => Promise<ProcessRecord | undefined> {
  const ownerOf = ownersOf(deps)
  return async ({ instance_id, node_id, ...row }) => {
    const owner = await ownerOf({ instance_id, node_id })
    return owner && recordOf(row, owner)
  }
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
