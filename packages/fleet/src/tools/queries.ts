import type { ToolManagerName } from '@fleet/contract'
import type { Database, NewRow, Row } from '@fleet/store'
import type { ToolRow } from '#/tools/record.ts'

export type ManagerRow = Row<'tool_managers'>
type Manager = Omit<NewRow<'tool_managers'>, 'id'>
type ToolChanges = Partial<
  Pick<
    ToolRow,
    'status' | 'installed_version' | 'failed_operation' | 'version_constraint' | 'error_code' | 'outcome'
  >
>

export const findManager = (db: Database, nodeId: number, name: string): Promise<ManagerRow | undefined> =>
  db
    .selectFrom('tool_managers')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('name', '=', name)
    .executeTakeFirst()

export const managersOn = (db: Database, nodeId: number): Promise<ManagerRow[]> =>
  db.selectFrom('tool_managers').selectAll().where('node_id', '=', nodeId).orderBy('id').execute()

/** What is not said of a stored manager stays as it is. */
export const putManager = async (db: Database, manager: Manager): Promise<void> => {
  const { node_id: _node, name: _name, created_at: _created, ...state } = manager
  await db
    .insertInto('tool_managers')
    .values(manager)
    .onConflict((conflict) => conflict.columns(['node_id', 'name']).doUpdateSet(state))
    .execute()
}

export const findTool = (db: Database, id: number): Promise<ToolRow | undefined> =>
  db.selectFrom('tools').selectAll().where('id', '=', id).executeTakeFirst()

export const findNamed = (
  db: Database,
  nodeId: number,
  manager: ToolManagerName,
  name: string,
): Promise<ToolRow | undefined> =>
  db
    .selectFrom('tools')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('manager', '=', manager)
    .where('package', '=', name)
    .executeTakeFirst()

/** By manager, then package. */
export const toolsOn = (db: Database, nodeId: number): Promise<ToolRow[]> =>
  db
    .selectFrom('tools')
    .selectAll()
    .where('node_id', '=', nodeId)
    .orderBy('manager')
    .orderBy('package')
    .execute()

export const insertTool = (db: Database, row: NewRow<'tools'>): Promise<ToolRow> =>
  db.insertInto('tools').values(row).returningAll().executeTakeFirstOrThrow()

export const updateTool = (db: Database, id: number, values: ToolChanges): Promise<ToolRow> =>
  db.updateTable('tools').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export async function deleteTool(db: Database, id: number): Promise<void> {
  await db.deleteFrom('tools').where('id', '=', id).execute()
}
