import type { Store } from '@fleet/store'
import type { HandlersOf } from '#/handler.ts'
import type { CheckoutPaths } from './placements.ts'
import type { InstancePlacements } from '#/projects/api.ts'
import { makeCreate } from './create.ts'
import { makeDestroy } from './destroy.ts'
import { makeList } from './list.ts'
import { withOperationLock } from './locks.ts'
import type { InstanceParts } from './parts.ts'
import { makeInstanceQueries } from './queries.ts'
import type { InstanceRecord, Instances } from './record.ts'
import { findInstance, type FoundInstance } from './require.ts'
import { makeResolveDirectory } from './resolve-directory.ts'
import { makeResolve } from './resolve.ts'
import { makeSetup } from './setup.ts'
import { makeShow } from './show.ts'
import { profileOf } from './stored-profile.ts'

export type InstancesOptions = Omit<InstanceParts, 'queries'>

type InstanceOperation =
  | 'instance:list'
  | 'instance:show'
  | 'instance:create'
  | 'instance:resolve'
  | 'instance:resolve-directory'
  | 'instance:setup'
  | 'instance:destroy'

export interface InstancesDomain {
  readonly handlers: HandlersOf<InstanceOperation>
  readonly instances: Instances
  /** Fills the port of the Projects. */
  readonly placements: InstancePlacements
  /** Fills the port of the Nodes. */
  readonly checkouts: CheckoutPaths
}

/** What the domains below ask about Instances. It needs the store alone, so it can be made before them. */
export const makePlacements = (store: Store): InstancePlacements & CheckoutPaths => makeInstanceQueries(store)

/** Builds the domain of Instances once. */
export function makeInstances(options: InstancesOptions): InstancesDomain {
  const queries = makeInstanceQueries(options.store)
  const parts: InstanceParts = { ...options, queries }
  return {
    handlers: {
      'instance:list': makeList(parts),
      'instance:show': makeShow(parts),
      'instance:create': makeCreate(parts),
      'instance:resolve': makeResolve(),
      'instance:resolve-directory': makeResolveDirectory(parts),
      'instance:setup': makeSetup(parts),
      'instance:destroy': makeDestroy(parts),
    },
    instances: makeInstancesApi(parts),
    placements: queries,
    checkouts: queries,
  }
}

const makeInstancesApi = (parts: InstanceParts): Instances => {
  const find = async (id: number): Promise<InstanceRecord | undefined> => {
    const found = await findInstance(parts, id)
    return found && recordOf(found)
  }
  return {
    find,
    findByReference: async (reference) => {
      const record = isId(reference) ? await find(Number(reference)) : undefined
      // Any other reference is a domain, and no Route exists yet.
      return record ? [record] : []
    },
    withOperationLock: (call, instanceId, busy, work) =>
      withOperationLock(parts.store, call, instanceId, busy, work),
  }
}

const isId = (reference: string): boolean =>
  /^[1-9]\d{0,15}$/.test(reference) && Number.isSafeInteger(Number(reference))

const recordOf = ({ row, project, node }: FoundInstance): InstanceRecord => ({
  ...row,
  profile: profileOf(row.profile),
  project,
  node,
})
