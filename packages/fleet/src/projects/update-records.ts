import { projectUpdateRules } from '@fleet/contract'
import type { Database, NewRow, Row } from '@fleet/store'

export type ProjectUpdateRow = Row<'project_updates'>

/** The last recorded update of the Project, finished or not. */
export const findUpdate = (db: Database, projectId: number): Promise<ProjectUpdateRow | undefined> =>
  db.selectFrom('project_updates').selectAll().where('project_id', '=', projectId).executeTakeFirst()

/** The one that only the identical request may continue. */
export async function openUpdate(db: Database, projectId: number): Promise<ProjectUpdateRow | undefined> {
  const known = await findUpdate(db, projectId)
  return known && projectUpdateRules[known.state].isOpen ? known : undefined
}

/** In the place of an earlier one. */
export const beginUpdate = (db: Database, row: NewRow<'project_updates'>): Promise<ProjectUpdateRow> =>
  db
    .insertInto('project_updates')
    .values(row)
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(row))
    .returningAll()
    .executeTakeFirstOrThrow()

export const writeUpdate = (
  db: Database,
  projectId: number,
  values: Partial<ProjectUpdateRow>,
): Promise<ProjectUpdateRow> =>
  db
    .updateTable('project_updates')
    .set(values)
    .where('project_id', '=', projectId)
    .returningAll()
    .executeTakeFirstOrThrow()
