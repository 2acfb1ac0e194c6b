import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { findProject } from '#/projects/queries.ts'
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

export async function requireProject({ db }: Pick<Store, 'db'>, id: number): Promise<ProjectRecord> {
  const project = await findProject(db, id)
  if (!project) throw fail('project.not_found')
  return project
}
