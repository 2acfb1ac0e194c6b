import { type ErrorCode, fail } from '@fleet/contract'
import { type Database, isTaken, type NewRow } from '@fleet/store'
import { updateProject } from '#/projects/queries.ts'
import type { ProjectRecord } from '#/projects/record.ts'

const TAKEN = [
  ['projects(slug)', 'project.slug_conflict'],
  ['projects(repository_identity)', 'project.repository_identity_conflict'],
  ['projects(code)', 'project.code_conflict'],
] as const satisfies ReadonlyArray<readonly [string, ErrorCode]>

/** Throws `project.not_found` and the conflicts of values that another Project has taken since they were checked. */
export async function storeProject(
  db: Database,
  id: number,
  values: Partial<NewRow<'projects'>>,
): Promise<ProjectRecord> {
  try {
    const updated = await updateProject(db, id, values)
    if (updated) return updated
  } catch (error) {
    const code = TAKEN.find(([rule]) => isTaken(error, rule))?.[1]
    throw code ? fail(code, { cause: error }) : error
  }
  throw fail('project.not_found')
}
