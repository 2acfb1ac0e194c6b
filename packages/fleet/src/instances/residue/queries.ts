import type { Database, NewRow, Row, Store } from '@fleet/store'

/** A checkout that outlived its Instance on a Node that did not answer. */
export type Residue = Row<'instance_residues'>

/** All SQL about residues. */
export interface ResidueQueries {
  onNode(nodeId: number): Promise<readonly Residue[]>
  remove(id: number): Promise<void>
}

export const makeResidueQueries = ({ db }: Pick<Store, 'db'>): ResidueQueries => ({
  onNode: (nodeId) =>
    db.selectFrom('instance_residues').selectAll().where('node_id', '=', nodeId).orderBy('id').execute(),
  remove: async (id) => {
    await db.deleteFrom('instance_residues').where('id', '=', id).execute()
  },
})

/** The caller's transaction deletes the Instance with it. */
export async function addResidue(db: Database, residue: NewRow<'instance_residues'>): Promise<void> {
  await db.insertInto('instance_residues').values(residue).execute()
}
