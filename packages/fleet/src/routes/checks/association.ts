import { projectTypeRules } from '@fleet/contract'
import { type Check, stored } from '#/nodes/api.ts'
import type { CheckedInstance } from '#/routes/checks/queries.ts'
import { isOwn } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { recordedSets } from '#/routes/pools/queries.ts'
import { appRoutes } from '#/routes/queries.ts'

/** Whether a set of targets that has not ended gives it another Route or removes it: that change is reported, of its Route. */
async function isMoving(db: RoutesDeps['store']['db'], instanceId: number): Promise<boolean> {
  const sets = await recordedSets(db)
  return sets.some(({ target_set: { targets, dispositions } }) =>
    [...targets, ...dispositions.map(({ instance_id }) => instance_id)].includes(instanceId),
  )
}

/** An Instance that serves the web has exactly one own Route; every other has at most one (DOC-016). */
export const associationCheck = (
  { db }: RoutesDeps['store'],
  { id, name, project_type: type }: CheckedInstance,
): Check =>
  stored('instance.route_association_mismatch', { type: 'instance', id, name }, async () => {
    const { length } = (await appRoutes(db, [id])).filter(isOwn)
    const isRight = length === 1 || (length === 0 && !projectTypeRules[type].needsRoute)
    if (isRight || (await isMoving(db, id))) return undefined
    return { expected: 'one own Route', observed: length === 0 ? 'none' : `${length}` }
  })
