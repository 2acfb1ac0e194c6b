import { noLog, stepList, type StepLog } from '@fleet/steps'
import { silentNode } from '#/nodes/api.ts'
import { performSteps } from '#/perform-steps.ts'
import { buildOn, instancesOf, leavesOf, type PoolChange, sessionOn } from '#/routes/pools/change.ts'
import { deleteTarget, storeLeaving } from '#/routes/pools/queries.ts'
import { certificates, ingress, vacated } from '#/routes/pools/steps/after-commit.ts'
import { closeRelease } from '#/routes/production/access.ts'
import { unreachableRouter } from '#/routes/routers/serve.ts'

/** An Instance that is removed leaves the pool of a Route that others serve: no request is led to it any more (RTX-030). */
export const poolLeave = stepList<PoolChange>(
  'route-pool-leave',
  [
    {
      name: 'leave',
      run: (change) => storeLeavesOf(change),
    },
    vacated,
    ingress,
    {
      name: 'release',
      run: async (change) => {
        for (const { routeId, instanceId } of leavesOf(change))
          await deleteTarget(change.deps.store.db, routeId, instanceId)
        const left = await instancesOf(change, leavesOf(change))
        await buildOn(
          change,
          left.map(({ node_id }) => node_id),
        )
        // What no site names any more may not be read any more.
        for (const instance of left)
          await closeRelease(change.deps, await sessionOn(change, instance.node_id), instance)
      },
    },
    certificates,
  ],
  { forwardOnly: true },
)

export const storeLeavesOf = (change: PoolChange): Promise<void> =>
  change.deps.store.transaction(async (tx) => {
    for (const { routeId: route_id, instanceId: instance_id } of leavesOf(change))
      await storeLeaving(tx, { route_id, instance_id })
  })

/** The removal of the Instance records where it stopped. */
export const leaveLog: StepLog = noLog

/** A Router that does not answer is named with the way out, as where a whole Route goes (decision 0192). */
export const leavePool = async (change: PoolChange): Promise<void> =>
  void (await performSteps(poolLeave, change, {
    call: change.call,
    log: leaveLog,
    errorOf: ({ step, cause }) => {
      const router = step === vacated.name ? silentNode(cause) : undefined
      return router ? unreachableRouter(router, { step, cause }) : cause
    },
  }))
