import { fail } from '@fleet/contract'
import type { Database, Store } from '@fleet/store'
import { isDeepStrictEqual } from 'node:util'
import type { Call } from '#/call.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { findProject, lockProject } from '#/projects/queries.ts'
import type { ProjectRecord } from '#/projects/record.ts'

/** Creations of different Instances hold it for two queries each, so waiting a moment spares them the busy answer. */
export const CREATION_WAIT_SECONDS = 5

/** Destroying a Project, moving its source and creating its Instances exclude each other; the first two don't wait. */
export const holdingProject = <T>(
  store: Store,
  call: Call,
  projectId: number,
  work: () => Promise<T>,
  waitSeconds = 0,
): Promise<T> => holding(store, call, lockOf('project', projectId, { waitSeconds }), work)

/** Locks the row until this transaction ends. False where it is another one than was read before, or is gone. */
export const lockUnchanged = async (db: Database, project: ProjectRecord): Promise<boolean> =>
  (await lockProject(db, project.id)) && isDeepStrictEqual(await findProject(db, project.id), project)

export async function requireProject({ db }: Pick<Store, 'db'>, id: number): Promise<ProjectRecord> {
  const project = await findProject(db, id)
  if (!project) throw fail('project.not_found')
  return project
}
