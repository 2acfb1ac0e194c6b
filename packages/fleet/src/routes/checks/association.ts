import { projectTypeRules } from '@fleet/contract'
import { type Check, stored } from '#/nodes/api.ts'
import type { CheckedInstance } from '#/routes/checks/queries.ts'
import { isOwn } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { appRoutes } from '#/routes/queries.ts'

/** An Instance that serves the web has exactly one own Route; every other has at most one (DOC-016). */
export const associationCheck = (
  { db }: RoutesDeps['store'],
  { id, name, project_type: type }: CheckedInstance,
): Check =>
  stored('instance.route_association_mismatch', { type: 'instance', id, name }, async () => {
    const { length } = (await appRoutes(db, [id])).filter(isOwn)
    const isRight = length === 1 || (length === 0 && !projectTypeRules[type].needsRoute)
    return isRight ? undefined : { expected: 'one own Route', observed: length === 0 ? 'none' : `${length}` }
  })
