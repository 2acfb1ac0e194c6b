import type { Call } from '#/call.ts'
import { dropNames } from '#/databases/owned/drop-database.ts'
import { deleteResidue, type ResidueRecord, residuesOn, unsharedUsers } from '#/databases/owned/queries.ts'
import { shareDatabases } from '#/databases/owned/share.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import { serverById } from '#/databases/servers/queries.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { sha256 } from '#/managed-services/api.ts'
import { artifactParts, type FamilyChecks, type NodeArtifact, nodeResource, stored } from '#/nodes/api.ts'

/**
 * Databases of removed Instances on the servers of a Node that did not answer then, and users whom an earlier version let write in
 * every database of an owner.
 */
export const makeDatabasesArtifact = (deps: OwnedDeps): NodeArtifact => ({
  name: 'databases',
  digest: async ({ id }) => {
    const { db } = deps.store
    const residues = (await residuesOn(db, id)).map((each) => each.id)
    const unshared = (await unsharedUsers(db, { nodeId: id })).map((each) => `user ${each.id}`)
    const lines = [...residues, ...unshared]
    return lines.length === 0 ? undefined : sha256(lines.join('\n'))
  },
  converge: async ({ call, node }) => {
    const { db } = deps.store
    const parts = artifactParts()
    for (const residue of await residuesOn(db, node.id)) await parts.attempt(() => clear(deps, call, residue))
    for (const user of await unsharedUsers(db, { nodeId: node.id }))
      // Roles of the Node are held, which come after databases.
      await parts.attempt(() => shareDatabases(deps, call, [user], { waitSeconds: 0 }))
    return parts.skipped() ?? 'applied'
  },
})

/**
 * Under the lock of the server, which whoever names a database or a user there takes first: nobody can begin to use a name that is
 * about to be dropped, and who did so before keeps it. Roles of the Node are held, which come later, so it is not waited for.
 */
async function clear(deps: OwnedDeps, call: Call, residue: ResidueRecord): Promise<void> {
  const { db } = deps.store
  const { id, server_id, database_name: database, test_database: test, username, created_users } = residue
  const seen = await serverById(db, server_id)
  if (!seen) return
  await holding(deps.store, call, lockOf('databaseServer', seen.slug, { waitSeconds: 0 }), async () => {
    const server = await serverById(db, server_id)
    if (!server) return
    await dropNames(deps, call, server, { residue: id, database, test, username, created: created_users })
    await deleteResidue(db, id)
  })
}

export const makeDatabaseResidueChecks = ({ store }: Pick<OwnedDeps, 'store'>): FamilyChecks => ({
  family: 'node',
  checksOf: async (_call, node) => [
    stored('node.database_residue_retained', nodeResource(node), async () => {
      const { length } = await residuesOn(store.db, node.id)
      return length === 0 ? undefined : { expected: 'none', observed: String(length) }
    }),
  ],
})
