import type { ErrorCode } from '@fleet/contract'
import { dropNames } from '#/databases/owned/drop-database.ts'
import { deleteResidue, residuesOn } from '#/databases/owned/queries.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import { serverById } from '#/databases/servers/queries.ts'
import { sha256 } from '#/managed-services/api.ts'
import { type FamilyChecks, type NodeArtifact, nodeResource, skippedFor, stored } from '#/nodes/api.ts'

/** Databases of removed Instances on the servers of a Node that did not answer then. */
export const makeDatabasesArtifact = (deps: OwnedDeps): NodeArtifact => ({
  name: 'databases',
  digest: async ({ id }) => {
    const residues = await residuesOn(deps.store.db, id)
    return residues.length === 0 ? undefined : sha256(residues.map((each) => each.id).join('\n'))
  },
  converge: async ({ call, node }) => {
    const { db } = deps.store
    let skipped: ErrorCode | undefined
    for (const residue of await residuesOn(db, node.id))
      try {
        const server = await serverById(db, residue.server_id)
        if (!server) continue
        const { database_name: database, test_database: test, username, created_users: created } = residue
        await dropNames(deps, call, server, { residue: residue.id, database, test, username, created })
        await deleteResidue(db, residue.id)
      } catch (error) {
        const code = skippedFor(error)
        skipped ??= code
      }
    return skipped === undefined ? 'applied' : { skipped }
  },
})

export const makeDatabaseResidueChecks = ({ store }: Pick<OwnedDeps, 'store'>): FamilyChecks => ({
  family: 'node',
  checksOf: async (_call, node) => [
    stored('node.database_residue_retained', nodeResource(node), async () => {
      const { length } = await residuesOn(store.db, node.id)
      return length === 0 ? undefined : { expected: 'none', observed: String(length) }
    }),
  ],
})
