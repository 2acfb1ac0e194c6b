import type { Database, NewRow, Row, Store } from '@fleet/store'

/** A checkout that outlived its Instance on a Node that did not answer. */
export type Residue = Row<'instance_residues'>

/** All SQL about residues. */
export interface ResidueQueries {
  onNode(nodeId: number): Promise<readonly Residue[]>
  remove(id: number): Promise<void>
  /** Deletes the Instance and records its residue, all or nothing with what others do in the same transaction. */
  leaveBehind(residue: NewRow<'instance_residues'>, also: (tx: Database) => Promise<void>): Promise<void>
}

export const makeResidueQueries = ({
  db,
  transaction,
}: Pick<Store, 'db' | 'transaction'>): ResidueQueries => ({
  onNode: (nodeId) =>
    db.selectFrom('instance_residues').selectAll().where('node_id', '=', nodeId).orderBy('id').execute(),
  remove: async (id) => {
    await db.deleteFrom('instance_residues').where('id', '=', id).execute()
  },
  leaveBehind: (residue, also) =>
    transaction(async (tx) => {
      await also(tx)
      await tx.insertInto('instance_residues').values(residue).execute()
      await tx.deleteFrom('instances').where('id', '=', residue.instance_id).execute()
    }),
})
