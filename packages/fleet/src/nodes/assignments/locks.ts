import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { holding, lockOf } from '#/locks/api.ts'

export const roleLockName = (nodeId: number): string => lockOf('nodeRoles', nodeId).name

/**
 * Runs the work while nobody else changes the roles of the Node. Throws `node_role.node_busy` after 2 minutes, or the rest
 * of the request's time, with `details.error_code` as well, because enrolment shows it there (ROLE-028).
 */
export const holdingRoles = <T>(
  store: Pick<Store, 'locks'>,
  call: Call,
  nodeId: number,
  work: () => Promise<T>,
): Promise<T> =>
  holding(store, call, lockOf('nodeRoles', nodeId, { details: { error_code: 'node_role.node_busy' } }), work)
