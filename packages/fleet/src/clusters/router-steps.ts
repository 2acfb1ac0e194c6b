import { fail } from '@fleet/contract'
import { type Clock, CodedError } from '@fleet/kernel'
import type { Database, Store } from '@fleet/store'
import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import type { Call } from '#/call.ts'
import type { ClusterRoutes, RouterServices } from '#/clusters/ports.ts'
import { deleteRouterRole, holdClusters, putRouterRole } from '#/clusters/queries.ts'
import type { ClusterRecord, MemberRecord } from '#/clusters/record.ts'
import { publishNode } from '#/nodes/api.ts'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'

export interface RouterDeps {
  readonly store: Store
  readonly clock: Clock
  readonly services: RouterServices
  readonly routes: ClusterRoutes
}

/** A change of the Router of a Cluster that the request holds. */
export interface RouterChange {
  readonly deps: RouterDeps
  readonly call: Call
  readonly cluster: ClusterRecord
  /** The member that is to be the Router; undefined where it is already, or none is to be. */
  readonly candidate?: MemberRecord | undefined
  /** The Router that is to stay, with whatever its machine lacks of it: its record keeps its state. */
  readonly staying?: MemberRecord | undefined
  /** Names lead to the new Router before the earlier one stops serving (CLU-026). */
  readonly isReplaced: boolean
  /** Routers and candidates that are not to be any more. */
  readonly leaving: readonly MemberRecord[]
}

type RouterStep = Step<RouterChange>

/** The candidate first, then what it replaces, so that a Router serves all the time (CLU-022). The identical request resumes. */
export const routerChange = stepList<RouterChange>(
  'cluster-router',
  (change) => [
    ...(change.candidate ? promotion(change.candidate) : []),
    ...(change.isReplaced ? [settling, following] : []),
    ...change.leaving.flatMap(withdrawal),
    // Last: one that is silent keeps no other from being withdrawn.
    ...(change.staying ? [again(change.staying)] : []),
  ],
  { forwardOnly: true },
)

export async function changeRouter(change: RouterChange): Promise<void> {
  await performSteps(routerChange, change, { call: change.call, log: routerLog(change) })
}

const promotion = (candidate: MemberRecord): readonly RouterStep[] => [
  { name: 'capable', run: ({ deps, call }) => deps.services.requireCapable(call, candidate) },
  {
    name: 'converge',
    run: async (change) => {
      await claim(change, candidate, 'provisioning')
      await change.deps.services.converge(change.call, change.cluster.id, candidate)
    },
  },
  { name: 'switch', run: (change) => takeOver(change, candidate) },
]

const again = (router: MemberRecord): RouterStep => ({
  name: 'converge-again',
  run: async ({ deps, call, cluster }) => {
    await deps.services.requireCapable(call, router)
    await deps.services.converge(call, cluster.id, router)
  },
})

/** The previous Router serves until here and is left as `removing`. */
async function takeOver(change: RouterChange, candidate: MemberRecord): Promise<void> {
  const { deps, call, cluster } = change
  const created_at = deps.clock.now().toISOString()
  const earlier = cluster.members.filter(({ routerStatus }) => routerStatus === 'active')
  await deps.store.transaction(async (db) => {
    for (const { id } of earlier) await putRouterRole(db, id, { status: 'removing', created_at })
    await putRouterRole(db, candidate.id, { status: 'active', created_at })
  })
  for (const { id } of [...earlier, candidate]) await publishNode(deps.store.db, call, id)
}

const settling: RouterStep = { name: 'private-dns', run: ({ deps, call }) => deps.routes.settle(call) }

/** Before the earlier Router stops: visitors from outside come this way. */
const following: RouterStep = {
  name: 'ingress',
  run: ({ deps, call, cluster }) => deps.routes.followRouter(call, cluster.id),
}

const withdrawal = (node: MemberRecord): readonly RouterStep[] => [
  {
    name: `capable:${node.name}`,
    run: async (change) => {
      await change.deps.services.requireCapable(change.call, node)
      await claimUnused(change, node)
    },
  },
  { name: withdrawalOf(node), run: (change) => withdraw(change, node) },
]

/**
 * The last Router is taken in the transaction that counts the Routes of its Cluster: whoever stores one there waits for it, and finds no
 * Router afterwards. Before the withdrawal, so that a refusal leaves the role as it was. Throws `cluster.routes_require_router` (CLU-034).
 */
async function claimUnused(change: RouterChange, node: MemberRecord): Promise<void> {
  const { deps, call, cluster, candidate } = change
  if (candidate || node.routerStatus !== 'active') return
  call.locks.requireHeld()
  await deps.store.transaction(async (db) => {
    await holdClusters(db, [cluster.id])
    await requireUnrouted(deps.routes, cluster)
    await claim(change, node, 'removing', db)
  })
}

/** Throws `cluster.routes_require_router` (CLU-034). */
export async function requireUnrouted(routes: ClusterRoutes, { id }: ClusterRecord): Promise<void> {
  const owned = await routes.countOwned(id)
  if (owned > 0) throw fail('cluster.routes_require_router', { details: { routes: owned } })
}

/** Names stop leading to the Node before it stops serving. */
async function withdraw(change: RouterChange, node: MemberRecord): Promise<void> {
  const { deps, call, cluster } = change
  await claim(change, node, 'removing')
  await deps.routes.settle(call)
  await deps.services.withdraw(call, cluster.id, node)
  call.locks.requireHeld()
  await deleteRouterRole(deps.store.db, node.id)
  await publishNode(deps.store.db, call, node.id)
}

const claim = (
  { deps }: RouterChange,
  { id }: MemberRecord,
  status: 'provisioning' | 'removing',
  db: Database = deps.store.db,
): Promise<void> => putRouterRole(db, id, { status, created_at: deps.clock.now().toISOString() })

const withdrawalOf = ({ name }: MemberRecord): string => `withdraw:${name}`

/** A failure stays on the role of its Node, as `converge:<step>` or `remove:<step>` (CLU-027). */
export const routerLog = (change: RouterChange): StepLog =>
  columnsLog<{ readonly nodeId: number; readonly failed_step: string; readonly error_code: string }>({
    on: {
      failed: (step, cause) => {
        const error_code = originOf(cause)
        if (step === 'converge' && change.candidate)
          return { nodeId: change.candidate.id, failed_step: `converge:${stepOf(cause)}`, error_code }
        const node = change.leaving.find((one) => withdrawalOf(one) === step)
        return node && { nodeId: node.id, failed_step: `remove:${stepOf(cause)}`, error_code }
      },
    },
    write: ({ nodeId, ...failure }) =>
      putRouterRole(change.deps.store.db, nodeId, {
        status: 'failed',
        ...failure,
        created_at: change.deps.clock.now().toISOString(),
      }),
  })

/** A failed step of the services names what stopped it. */
function originOf(error: unknown): string {
  const origin = error instanceof CodedError ? error.details?.['error_code'] : undefined
  return typeof origin === 'string' ? origin : codeOf(error)
}

function stepOf(error: unknown): string {
  const step = error instanceof CodedError ? error.details?.['step'] : undefined
  return typeof step === 'string' ? step : 'services'
}
