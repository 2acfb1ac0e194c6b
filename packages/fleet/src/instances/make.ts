import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { HandlersOf } from '#/handler.ts'
import type { CheckoutPaths } from './placements.ts'
import { holding } from '#/locks/api.ts'
import type { FamilyChecks, NodeArtifact } from '#/nodes/api.ts'
import type { InstancePlacements } from '#/projects/api.ts'
import { makeClone } from './production/clone.ts'
import { makeCreate } from './create.ts'
import { makeDeployStepCreate } from './deploy-steps/create.ts'
import { makeDeployStepDestroy } from './deploy-steps/destroy.ts'
import { makeDeployStepList } from './deploy-steps/list.ts'
import { makeDeployStepUpdate } from './deploy-steps/update.ts'
import { makeDestroy, removeAuthorized } from './destroy.ts'
import { type InstanceLocators, makeInstanceLocators } from './locators.ts'
import { makeList } from './list.ts'
import { operationLock, requireIdle, requireSameNode, withOperationLock } from './locks.ts'
import type { InstanceDeps } from './deps.ts'
import { makeInstanceQueries } from './queries.ts'
import type { Instances } from './record.ts'
import { findInstance } from './require.ts'
import { makeRegistrationQueries } from './registration/queries.ts'
import { makeRegister } from './registration/register.ts'
import { makeResidueArtifact } from './residue/artifact.ts'
import { makeResidueQueries } from './residue/queries.ts'
import { makeResolve } from './resolve.ts'
import { makeResolveDirectory } from './resolve-directory.ts'
import { runInCheckout } from './run-command.ts'
import { makeRename } from './rename.ts'
import { makeSetup } from './setup.ts'
import { makeShow } from './show.ts'
import { makeCheckoutChecks, makeOriginChecks } from './checks/checkouts.ts'
import { makeProjectCheckouts, type ProjectCheckouts } from './sources/checkouts.ts'
import { makeTransfer } from './transfer/transfer.ts'
import { makeUpdate } from './update.ts'
import { makeInstanceChecks, makeResidueChecks } from './checks.ts'
import { recordOf } from './present-record.ts'

export type InstancesOptions = Omit<InstanceDeps, 'queries' | 'residues' | 'registrations'>

type InstanceOperation =
  | 'instance:list'
  | 'instance:show'
  | 'instance:create'
  | 'instance:clone'
  | 'instance:resolve'
  | 'instance:resolve-directory'
  | 'instance:setup'
  | 'instance:register'
  | 'instance:destroy'
  | 'instance:update'
  | 'instance:rename'
  | 'instance:transfer'
  | `instance:deploy-step:${'list' | 'create' | 'update' | 'destroy'}`

export interface InstancesDomain {
  readonly handlers: HandlersOf<InstanceOperation>
  readonly locators: InstanceLocators
  readonly instances: Instances
  /** Fills the port of the Projects. */
  readonly placements: InstancePlacements & CheckoutPaths
  /** Fills the port of the Nodes. */
  readonly checkouts: CheckoutPaths
  /** For changes of a Project. */
  readonly ofProjects: ProjectCheckouts
  /** What removals left on Nodes that did not answer. */
  readonly residue: NodeArtifact
  readonly checks: readonly FamilyChecks[]
  /** Ids of Instances whose removal was accepted, on any Node. */
  leaving(): Promise<ReadonlySet<number>>
}

/** What the domains below ask about Instances. It needs the store alone, so it can be made before them. */
export const makePlacements = (store: Store): InstancePlacements & CheckoutPaths => makeInstanceQueries(store)

/** Builds the domain of Instances once. */
export function makeInstances(options: InstancesOptions): InstancesDomain {
  const queries = makeInstanceQueries(options.store)
  const residues = makeResidueQueries(options.store)
  const registrations = makeRegistrationQueries(options.store)
  const deps: InstanceDeps = { ...options, queries, residues, registrations }
  const instances = makeInstancesApi(deps)
  return {
    handlers: {
      'instance:list': makeList(deps),
      'instance:show': makeShow(deps),
      'instance:create': makeCreate(deps),
      'instance:clone': makeClone(deps),
      'instance:resolve': makeResolve(deps),
      'instance:resolve-directory': makeResolveDirectory(deps),
      'instance:setup': makeSetup(deps),
      'instance:register': makeRegister(deps),
      'instance:destroy': makeDestroy(deps),
      'instance:update': makeUpdate(deps),
      'instance:rename': makeRename(deps),
      'instance:transfer': makeTransfer(deps),
      'instance:deploy-step:list': makeDeployStepList(deps),
      'instance:deploy-step:create': makeDeployStepCreate(deps),
      'instance:deploy-step:update': makeDeployStepUpdate(deps),
      'instance:deploy-step:destroy': makeDeployStepDestroy(deps),
    },
    locators: makeInstanceLocators(deps),
    instances,
    placements: queries,
    checkouts: queries,
    ofProjects: makeProjectCheckouts(deps),
    residue: makeResidueArtifact(residues),
    leaving: queries.leaving,
    checks: [
      makeInstanceChecks(deps),
      makeResidueChecks(deps),
      makeCheckoutChecks(deps),
      makeOriginChecks(deps),
    ],
  }
}

const makeInstancesApi = (deps: InstanceDeps): Instances => {
  const find: Instances['find'] = async (id) => {
    const found = await findInstance(deps, id)
    return found && recordOf(found)
  }
  return {
    find,
    requireIdle: (instance) => requireIdle(deps.store, instance),
    withOperationLock: (call, instanceId, busy, work) =>
      withOperationLock(deps.store, call, instanceId, busy, work),
    holding: (call, { seen, busy, waitSeconds }, work) =>
      holding(deps.store, call, operationLock(seen.id, busy, waitSeconds), async () => {
        const current = await find(seen.id)
        if (!current) throw fail('instance.not_found')
        requireSameNode(seen, current, busy)
        return work(current)
      }),
    runCommand: (call, instance, command) => runInCheckout(deps, call, instance, command),
    remove: (call, instanceId) => removeAuthorized(deps, call, instanceId),
  }
}
