import { projectTypeRules } from '@fleet/contract'
import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import type { Call } from '#/call.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { followDomainLater } from '#/processes/api.ts'
import { writeApplicationUrl } from '#/routes/application-url.ts'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import { updateRoute } from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { closeToPublic, edgeChangeOf, publishingSteps } from '#/routes/edge/publish.ts'
import { openRelease } from '#/routes/production/access.ts'
import { isProductionRow } from '#/routes/production/place.ts'
import {
  expectRouters,
  publishRouterLeaves,
  serveOnRouters,
  withdrawRouterLeaves,
  withdrawRouterSites,
} from '#/routes/routers/serve.ts'
import { appLeaf, directoryOf, poolFor, scopeOf, type ServedRoute } from '#/routes/served.ts'

export type PublicationDeps = Pick<
  RoutesDeps,
  | 'store'
  | 'clock'
  | 'nodes'
  | 'certificates'
  | 'webServer'
  | 'names'
  | 'php'
  | 'sourceAccess'
  | 'applicationUrls'
  | 'productionFiles'
  | 'firewall'
  | 'paths'
>

/** A Route to an Instance on its way to be served. */
export interface Publication {
  readonly deps: PublicationDeps
  readonly call: Call
  /** On the Node of the Instance. */
  readonly session: NodeSession
  readonly routeId: number
  /** Of a pool: the Instance that is published; the first one when absent. */
  readonly instanceId?: number
  /** The Instance is set up already: its applications hear what they are called now. */
  readonly namesApplication?: true
  /** It is meant for everybody: its ingress is opened, where there is one. */
  readonly isPublic?: boolean
  /** What fails is undone, and the Route stays `failed` (RTE-058). */
  readonly isTakenBack?: boolean
  /** An earlier request may have done any of its steps. */
  readonly isResumed?: boolean
}

/** As the records are now: the version of PHP comes with the first step. */
export async function servedNow({
  deps,
  routeId,
  instanceId,
}: Pick<Publication, 'routeId' | 'instanceId'> & {
  readonly deps: Pick<RoutesDeps, 'store'>
}): Promise<ServedRoute> {
  const [served] =
    instanceId === undefined
      ? await servedRows(deps.store.db, { routeId })
      : await servedRows(deps.store.db, { routeId, instanceId, isMoving: true })
  if (!served) throw new Error(`the Route ${routeId} leads to no Instance`)
  return served
}

type Changes = Parameters<typeof updateRoute>[2]
const store = ({ deps, routeId }: Publication, values: Changes): Promise<void> =>
  updateRoute(deps.store.db, routeId, values)

/** The version is stored first, and is the same as long as the source accepts it (RTX-115, RTX-117). */
export const runtime: Step<Publication> = {
  name: 'php',
  run: async (publication) => {
    const { deps, session } = publication
    const served = await servedNow(publication)
    const php_version = await versionFor(deps, session, served)
    await store(publication, { php_version, has_source: 1 })
    await runDirectory(deps, session, { ...served, route: { ...served.route, php_version } })
  },
  undo: async (publication) => {
    const { deps, session } = publication
    await store(publication, { php_version: null, has_source: 0 })
    const { instance } = await servedNow(publication)
    if (isProductionRow(instance)) await deps.php.production.converge(session, instance.id)
    else await deps.php.converge(session)
  },
}

/**
 * Null without PHP: a package is served as files (PRJ-017). What is recorded of the directory is kept while the source accepts it
 * (RTX-117): all Routes of a directory have one pool, so what is chosen anew is theirs too.
 */
export async function versionFor(
  { php, store: { db } }: PublicationDeps,
  session: NodeSession,
  served: ServedRoute,
): Promise<string | null> {
  const { instance, route } = served
  if (isProductionRow(instance)) return instance.profile?.php_version ?? null
  if (!projectTypeRules[instance.project_type].runsPhp) return null
  const directory = directoryOf(served)
  const beside = (await servedRows(db, { instanceId: instance.id })).filter(
    (one) => one.route.id !== route.id && one.route.php_version !== null && directoryOf(one) === directory,
  )
  const version = await php.versionFor(session, {
    checkoutPath: instance.checkout_path,
    directory,
    recorded: route.php_version ?? beside[0]?.route.php_version ?? undefined,
  })
  for (const { route: other } of beside) await updateRoute(db, other.id, { php_version: version })
  return version
}

/** The pool of its directory, with the version that the Route has. */
export async function runDirectory(
  { php }: PublicationDeps,
  session: NodeSession,
  served: ServedRoute,
): Promise<void> {
  const { instance } = served
  if (isProductionRow(instance)) return php.production.converge(session, instance.id)
  const pool = poolFor(served)
  if (pool) await php.publish(session, pool)
}

/** Before anything is served: the web server reads the web root and nothing else of the checkout (SRC-001). */
export const access: Step<Publication> = {
  name: 'source-access',
  run: async (publication) => {
    const { deps, session, call } = publication
    await store(publication, { has_source: 1 })
    const { instance, route } = await servedNow(publication)
    try {
      const warnings = await accessFor(deps, session, instance)
      if (warnings.length > 0) call.note.property('source_access', warnings)
    } catch (error) {
      // What it asks for would be refused to every other Route of the checkout as well.
      if (isUnserved(route)) await store(publication, { has_source: 0 })
      throw error
    }
  },
  undo: async (publication) => {
    await store(publication, { has_source: 0 })
    await accessFor(publication.deps, publication.session, (await servedNow(publication)).instance)
  },
}

/** Nothing after the access was done for it. */
const isUnserved = ({ php_version, has_site, has_name }: ServedRoute['route']): boolean =>
  php_version === null && has_site === 0 && has_name === 0

/** Of production the selected release; before the first deployment there is none. */
async function accessFor(
  deps: PublicationDeps,
  session: NodeSession,
  instance: ServedRoute['instance'],
): Promise<readonly string[]> {
  if (!isProductionRow(instance))
    return (await deps.sourceAccess.apply(session, instance.checkout_path)).warnings
  const { id, selected_release: release } = instance
  return release === null ? [] : openRelease(deps, session, { id, release })
}

const certificate: Step<Publication> = {
  name: 'certificate',
  run: async (publication) => {
    const { deps, session, call } = publication
    const served = await servedNow(publication)
    await deps.certificates.publishLeaf(session, { ...appLeaf(served), isLoadedLater: true })
    await publishRouterLeaves(deps, call, served.route)
  },
  undo: async (publication) => {
    const { deps, session, call } = publication
    const served = await servedNow(publication)
    await withdrawRouterLeaves(deps, call, served.route)
    await deps.certificates.withdrawLeaf(session, { scope: scopeOf(served) })
  },
}

/** The Node first: a Router leads to what is served. The tunnel admits its members to every port (RTX-033). */
const site: Step<Publication> = {
  name: 'caddy',
  run: async (publication) => {
    const { deps, call, session } = publication
    await store(publication, { has_site: 1 })
    const { route } = await servedNow(publication)
    await expectRouters(deps, route)
    await deps.webServer.build(session, 'app-dev')
    await serveOnRouters(deps, call, route)
  },
  undo: async (publication) => {
    const { deps, call, session, routeId } = publication
    await store(publication, { has_site: 0 })
    await withdrawRouterSites(deps, call, { id: routeId })
    await deps.webServer.build(session, 'app-dev')
  },
}

const url: Step<Publication> = {
  name: 'application-url',
  run: async (publication) => {
    const { deps, session } = publication
    const outcome = await writeApplicationUrl(deps, session, await servedNow(publication))
    return outcome === 'unsupported' ? 'skipped' : undefined
  },
}

/** Last: whoever hears the name finds the site behind it (RTE-189). */
const name: Step<Publication> = {
  name: 'dns',
  run: async (publication) => {
    await store(publication, { has_name: 1 })
    await publication.deps.names.publish(publication.call)
  },
  undo: async (publication) => {
    await store(publication, { has_name: 0 })
    await publication.deps.names.publish(publication.call)
  },
}

const settle: Step<Publication> = {
  name: 'activate',
  run: async (publication) => {
    const { deps, routeId } = publication
    const { instance } = await servedNow(publication)
    await deps.store.transaction(async (tx) => {
      await updateRoute(tx, routeId, { status: 'active', failed_step: null, error_code: null })
      await followDomainLater(deps, tx, [instance.id])
    })
  },
}

/** What makes a Node serve a Route, without its name. */
const servingSteps: readonly Step<Publication>[] = [access, runtime, certificate, site]

const edgeOf = ({ deps, call, routeId }: Publication) => edgeChangeOf(deps, call, [routeId])

/** Taken back as one (RTX-034). */
const edge: readonly Step<Publication>[] = publishingSteps(edgeOf).map((step, at) =>
  at === 0 ? { ...step, undo: (publication) => closeToPublic(edgeOf(publication)) } : step,
)

/** From the stored record to the answered name, and for the public to its ingress (RTE-045); every step may be repeated. */
export const routePublication = stepList<Publication>(
  'route-publication',
  ({ namesApplication, isPublic = false }) => [
    ...servingSteps,
    ...(namesApplication ? [url] : []),
    name,
    ...(isPublic ? edge : []),
    settle,
  ],
  { forwardOnly: ({ isTakenBack = false }) => !isTakenBack },
)

const TAKEN_BACK = [...servingSteps, name, ...edge].map((step) => step.name)

/** What failed stays on the record; its status is that of whoever publishes (RTX-022, RTX-023). */
export const stepLogOf = ({
  deps,
  routeId,
  isTakenBack,
  isResumed,
}: Pick<Publication, 'routeId' | 'isTakenBack' | 'isResumed'> & {
  readonly deps: Pick<RoutesDeps, 'store'>
}): StepLog =>
  columnsLog<Changes>({
    begun: () => (isTakenBack && isResumed ? TAKEN_BACK : []),
    on: {
      failed: (step, cause) => ({
        failed_step: step,
        error_code: codeOf(cause),
        ...(isTakenBack ? { status: 'failed' as const } : {}),
      }),
    },
    write: (failure) => updateRoute(deps.store.db, routeId, failure),
  })

export const publishRoute = async (publication: Publication): Promise<void> =>
  void (await performSteps(routePublication, publication, {
    call: publication.call,
    log: stepLogOf(publication),
    withCall: (given, call) => ({
      ...given,
      call,
      session: given.deps.nodes.sessions.overTunnel(call, given.session.node),
    }),
  }))
