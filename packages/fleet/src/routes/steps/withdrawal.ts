import { posix } from 'node:path'
import type { Clock } from '@fleet/kernel'
import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import type { Call } from '#/call.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import { writeApplicationUrl } from '#/routes/application-url.ts'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import { type addResidues, deleteRoutes, updateRoute } from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RouteRow } from '#/routes/record.ts'
import type { PublicationDeps } from '#/routes/steps/publication.ts'
import { leaveSilentIngress } from '#/routes/edge/offline.ts'
import { closeToPublic, edgeChangeOf } from '#/routes/edge/publish.ts'
import { openRelease } from '#/routes/production/access.ts'
import { isSourceGone } from '#/source-access/api.ts'
import { isProductionRow } from '#/routes/production/place.ts'
import { leaveSilentRouters, withdrawRouterLeaves, withdrawRouterSites } from '#/routes/routers/serve.ts'
import { RETAINED_STEPS, unreachableOr } from '#/routes/steps/removal.ts'
import { liveScope, otherOf, scopeOf, type ServedRoute } from '#/routes/served.ts'

/** A Route to an Instance that is taken away from its Node. */
export interface Withdrawal {
  readonly deps: PublicationDeps
  readonly call: Call
  readonly session: NodeSession
  readonly node: NodeRecord
  /** As it was before. */
  readonly served: ServedRoute
  /** Its checkout stays, so what the web server may read of it is set again; the content of production always stays (INS-118). */
  readonly keepsCheckout: boolean
  /** With `offline`: Routers and an ingress that do not answer are skipped and added here. */
  readonly silent?: NodeRecord[]
  /** What becomes of the record: a creation that failed keeps its reservation until its Instance is deleted. */
  readonly ends: 'pending' | 'deleted'
}

type Changes = Parameters<typeof updateRoute>[2]
const store = ({ deps, served }: Withdrawal, values: Changes): Promise<void> =>
  updateRoute(deps.store.db, served.route.id, values)

const build = async ({ deps, session }: Withdrawal): Promise<void> =>
  void (await deps.webServer.build(session, 'app-dev'))

/** Whoever still asks for the domain hears that it is unavailable, while the rest goes (INS-114, RTE-129). */
const retire: Step<Withdrawal> = {
  name: 'retire',
  run: async (withdrawal) => {
    await store(withdrawal, { status: 'retiring' })
    if (withdrawal.served.route.has_site === 1) await build(withdrawal)
  },
}

const name: Step<Withdrawal> = {
  name: 'dns',
  run: async (withdrawal) => {
    // Whoever puts it back sees that it is no longer served as a whole.
    await store(withdrawal, { has_name: 0, ...(withdrawal.ends === 'pending' ? { status: 'pending' } : {}) })
    await withdrawal.deps.names.publish(withdrawal.call)
  },
}

/** The outer hop first: nobody is led to a Router that stopped. */
const edge: Step<Withdrawal> = {
  name: 'public-withdrawn',
  run: async ({ deps, call, served, silent }) => {
    if (silent) silent.push(...(await leaveSilentIngress(deps, call, [served.route.id])))
    else await closeToPublic(edgeChangeOf(deps, call, [served.route.id]))
  },
}

const site: Step<Withdrawal> = {
  name: 'caddy',
  run: async (withdrawal) => {
    const { deps, call, served, silent } = withdrawal
    await store(withdrawal, { has_site: 0 })
    if (silent) {
      const routers = await leaveSilentRouters(deps, call, served.route)
      silent.push(...routers.filter(({ id }) => !silent.some((node) => node.id === id)))
    }
    await withdrawRouterSites(deps, call, served.route)
    await build(withdrawal)
  },
}

/** The pool stays while another Route serves its directory (RTE-143); one without a directory stops nothing (RTX-064). */
const runtime: Step<Withdrawal> = {
  name: 'php',
  run: async (withdrawal) => {
    const { deps, session, served } = withdrawal
    await store(withdrawal, { has_source: 0 })
    if (isProductionRow(served.instance))
      return deps.php.production.convergeFound(session, served.instance.id)
    if (served.route.php_version !== null) await deps.php.converge(session)
  },
}

const access: Step<Withdrawal> = {
  name: 'source-access',
  run: async (withdrawal) => {
    try {
      await setAccess(withdrawal)
      return undefined
    } catch (error) {
      // What other Routes serve of it is missing, whatever becomes of this one.
      if (isSourceGone(error)) return 'skipped'
      throw error
    }
  },
}

async function setAccess({ deps, session, served: { instance } }: Withdrawal): Promise<void> {
  if (!isProductionRow(instance)) return void (await deps.sourceAccess.apply(session, instance.checkout_path))
  const { id, selected_release: release } = instance
  if (release !== null) await openRelease(deps, session, { id, release })
}

/** The next oldest Route of the directory gives it its URL (RTE-144). */
const url: Step<Withdrawal> = {
  name: 'application-url',
  run: async ({ deps, session, served }) => {
    if (served.route.web_root !== null) await writeApplicationUrl(deps, session, served)
  },
}

/** After the build without it: what a live file names is never missing (RTX-095). */
const certificate: Step<Withdrawal> = {
  name: 'certificate',
  run: async ({ deps, call, session, served }) => {
    await withdrawRouterLeaves(deps, call, served.route)
    for (const one of leavesOf(served)) await withdrawLeaf(deps, session, one)
  },
}

/** A change of the web root that was interrupted may have left a second one. */
function leavesOf(served: ServedRoute): readonly ServedRoute[] {
  const other = otherOf(served)
  return other && scopeOf(other) !== scopeOf(served) ? [served, other] : [served]
}

/** Unless the other one of a pair of Routes presents it. */
export async function withdrawLeaf(
  { store: { db }, certificates }: Pick<PublicationDeps, 'store' | 'certificates'>,
  session: NodeSession,
  served: ServedRoute,
): Promise<void> {
  const scope = scopeOf(served)
  const others = (await servedRows(db, { instanceId: served.instance.id })).filter(
    ({ route }) => route.id !== served.route.id && route.has_site === 1,
  )
  if (others.some((other) => scopeOf(other) === scope && scope === liveScope(served.instance.id))) return
  await certificates.withdrawLeaf(session, { scope })
}

const settle: Step<Withdrawal> = {
  name: 'forget',
  run: async (withdrawal) => {
    const { deps, served, ends } = withdrawal
    if (ends === 'deleted') await deleteRoutes(deps.store.db, [served.route.id])
    else await store(withdrawal, { status: 'pending' })
  },
}

/** The name first, the certificate last (RTX-063). A withdrawal that failed begins again (RTX-029). */
export const routeWithdrawal = stepList<Withdrawal>(
  'route-withdrawal',
  ({ ends, keepsCheckout, served: { instance } }) => [
    ...(ends === 'deleted' ? [retire] : []),
    name,
    edge,
    site,
    runtime,
    ...(keepsCheckout || isProductionRow(instance) ? [access] : []),
    ...(keepsCheckout ? [url] : []),
    certificate,
    settle,
  ],
  { forwardOnly: true },
)

/** The removal of a Route that leads somewhere says so in its step (RTX-032). */
export const withdrawalLog = ({
  deps,
  served,
  ends,
}: Pick<Withdrawal, 'deps' | 'served' | 'ends'>): StepLog =>
  columnsLog<Changes>({
    on: {
      failed: (step, cause) =>
        ends === 'deleted'
          ? { status: 'failed', failed_step: `targeted:${step}`, error_code: codeOf(cause) }
          : undefined,
    },
    write: (failure) => updateRoute(deps.store.db, served.route.id, failure),
  })

export const withdrawRoute = async (withdrawal: Withdrawal): Promise<void> =>
  void (await performSteps(routeWithdrawal, withdrawal, {
    call: withdrawal.call,
    log: withdrawalLog(withdrawal),
    errorOf: (failure) =>
      withdrawal.ends === 'deleted' ? unreachableOr(failure, withdrawal.node) : failure.cause,
  }))

/** Of a Route that never was on its Node nothing has to go. */
export const isOnNode = ({ has_site, has_name, has_source }: RouteRow): boolean =>
  has_site === 1 || has_name === 1 || has_source === 1

/** What of production the web server of its Node may read. */
function releaseOf(instance: ServedRoute['instance']) {
  if (!isProductionRow(instance) || instance.selected_release === null) return {}
  const { production_user: source_user, production_home: home, selected_release: release } = instance
  return { source_user, source_path: posix.join(home, 'releases', release) }
}

/** What a Node that was skipped keeps of a Route that is deleted. */
export const residuesOf = (served: ServedRoute, clock: Clock): Parameters<typeof addResidues>[1] =>
  leavesOf(served).map((one) => ({
    node_id: served.instance.node_id,
    route_id: served.route.id,
    domain: served.route.domain,
    retained_steps: RETAINED_STEPS,
    leaf_scope: scopeOf(one),
    ...releaseOf(one.instance),
    created_at: clock.now().toISOString(),
  }))
