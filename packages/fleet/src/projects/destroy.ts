import { fail } from '@fleet/contract'
import { type Store, violationOf } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import { holdingProject, requireProject } from '#/projects/locks.ts'
import type { InstancePlacements } from '#/projects/ports.ts'
import { allDefinitions, deleteProject, keysOf, routesOf } from '#/projects/queries.ts'

/** Steps and exclusions go with the Project (PRJ-030, NODE-119). */
export const makeDestroy =
  (store: Store, placements: InstancePlacements): Handler<'project:destroy'> =>
  async ({ call, input }) =>
    holdingProject(store, call, input.project, async () => {
      const { id, name, slug } = await requireProject(store, input.project)
      const count = await placements.countOf(id)
      if (count > 0) throw fail('project.has_instances', { details: { instances: count } })
      const routes = await routesOf(store.db, id)
      if (routes.length > 0) throw fail('project.has_routes', { details: { routes } })
      const left = await goingWith(store, id)
      if (!(await removed(store, id))) throw fail('project.not_found')
      call.event('project.deleted', { id, name, slug })
      return { data: { id, name, slug, ...left } }
    })

/** What nobody can create again without its values. */
async function goingWith({ db }: Store, id: number) {
  const [key] = await keysOf(db, id)
  return { removed_definitions: await allDefinitions(db, id), removed_deploy_key: key?.fingerprint ?? null }
}

async function removed({ db }: Store, id: number): Promise<boolean> {
  try {
    return await deleteProject(db, id)
  } catch (error) {
    // An Instance created by somebody without access to the Project still blocks the removal.
    throw violationOf(error)?.kind === 'reference' ? fail('project.has_instances', { cause: error }) : error
  }
}
