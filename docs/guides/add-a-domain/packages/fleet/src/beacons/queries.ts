import type { Database, NewRow, Row } from '@fleet/store'

export type BeaconRow = Row<'beacons'>
export type NewBeacon = NewRow<'beacons'>

const beacons = (db: Database) => db.selectFrom('beacons').selectAll().orderBy('node_id').orderBy('name')

/** By Node and name. */
export const listBeacons = async (db: Database, nodeIds: readonly number[]): Promise<BeaconRow[]> =>
  nodeIds.length === 0 ? [] : beacons(db).where('node_id', 'in', nodeIds).execute()

export const findBeacon = (db: Database, nodeId: number, name: string): Promise<BeaconRow | undefined> =>
  beacons(db).where('node_id', '=', nodeId).where('name', '=', name).executeTakeFirst()

/** Of a beacon that is stored already the status changes alone. */
export const putBeacon = async (db: Database, beacon: NewBeacon): Promise<void> => {
  const insert = db.insertInto('beacons').values(beacon)
  const { status } = beacon
  await insert.onConflict((stored) => stored.columns(['node_id', 'name']).doUpdateSet({ status })).execute()
}

export const deleteBeacon = async (db: Database, { node_id, name }: NewBeacon): Promise<void> => {
  await db.deleteFrom('beacons').where('node_id', '=', node_id).where('name', '=', name).execute()
}
