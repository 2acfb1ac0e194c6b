import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { holding } from '#/holding.ts'
import type { ProjectRecord } from '#/projects/api.ts'
import { findProject } from '#/projects/queries.ts'

/** Destroying a Project, moving its source and creating its Instances exclude each other; nobody waits. */
export const holdingProject = <T>(
  store: Store,
  call: Call,
  projectId: number,
  work: () => Promise<T>,
): Promise<T> =>
  holding(
    store,
    call,
    { lock: `project:${projectId}`, waitMilliseconds: 0, leaseSeconds: 600, busy: 'project.lifecycle_busy' },
    work,
  )

export async function requireProject({ db }: Pick<Store, 'db'>, id: number): Promise<ProjectRecord> {
  const project = await findProject(db, id)
  if (!project) throw fail('project.not_found')
  return project
}
