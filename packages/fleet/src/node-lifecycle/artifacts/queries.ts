import type { ArtifactName } from '@fleet/contract'
import type { Database, NewRow } from '@fleet/store'

/** Digests of what was applied last, by artifact. */
export async function appliedDigests(db: Database, nodeId: number): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('node_artifacts')
    .select(['artifact', 'digest'])
    .where('node_id', '=', nodeId)
    .execute()
  return new Map(rows.map(({ artifact, digest }) => [artifact, digest]))
}

export const putDigest = async (
  db: Database,
  applied: NewRow<'node_artifacts'> & { readonly artifact: ArtifactName },
): Promise<void> => {
  const { digest, applied_at } = applied
  await db
    .insertInto('node_artifacts')
    .values(applied)
    .onConflict((conflict) => conflict.columns(['node_id', 'artifact']).doUpdateSet({ digest, applied_at }))
    .execute()
}
