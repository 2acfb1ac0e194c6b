import type { Database, NewRow, Row } from '@fleet/store'

export type ManagerRow = Row<'tool_managers'>
type Manager = Omit<NewRow<'tool_managers'>, 'id'>

export const findManager = (db: Database, nodeId: number, name: string): Promise<ManagerRow | undefined> =>
  db
    .selectFrom('tool_managers')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('name', '=', name)
    .executeTakeFirst()

/** What is not said of a stored manager stays as it is. */
export const putManager = async (db: Database, manager: Manager): Promise<void> => {
  const { node_id: _node, name: _name, created_at: _created, ...state } = manager
  await db
    .insertInto('tool_managers')
    .values(manager)
    .onConflict((conflict) => conflict.columns(['node_id', 'name']).doUpdateSet(state))
    .execute()
}
