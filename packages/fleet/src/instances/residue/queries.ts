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

/** Deletes the Instance and records its residue: the caller's transaction makes it both or neither. */
export async function leaveBehind(db: Database, residue: NewRow<'instance_residues'>): Promise<void> {
  await db.insertInto('instance_residues').values(residue).execute()
  await db.deleteFrom('instances').where('id', '=', residue.instance_id).execute()
}
