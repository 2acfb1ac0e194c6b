import { projectTypeRules } from '@fleet/contract'
import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import type { Call } from '#/call.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { writeApplicationUrl } from '#/routes/application-url.ts'
import { codeOf, performSteps } from '#/perform-steps.ts'
import { servedRows, updateRoute } from '#/routes/queries.ts'
import type { RouteRow } from '#/routes/record.ts'
import type { RoutesParts } from '#/routes/parts.ts'
import { edgeChangeOf, publishingSteps } from '#/routes/edge/publish.ts'
import { openRelease } from '#/routes/production/access.ts'
import { isProductionRow } from '#/routes/production/place.ts'
import { publishRouterLeaves, serveOnRouters } from '#/routes/routers/serve.ts'
import { appLeaf, directoryOf, poolFor, type ServedRoute } from '#/routes/served.ts'

export type PublicationParts = Pick<
  RoutesParts,
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
  readonly parts: PublicationParts
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
}

/** As the records are now: the version of PHP comes with the first step. */
export async function servedNow({
  parts,
  routeId,
  instanceId,
}: Pick<Publication, 'routeId' | 'instanceId'> & {
  readonly parts: Pick<RoutesParts, 'store'>
}): Promise<ServedRoute> {
  const [served] =
    instanceId === undefined
      ? await servedRows(parts.store.db, { routeId })
      : await servedRows(parts.store.db, { routeId, instanceId, isMoving: true })
  if (!served) throw new Error(`the Route ${routeId} leads to no Instance`)
  return served
}

type Changes = Parameters<typeof updateRoute>[2]
const store = ({ parts, routeId }: Publication, values: Changes): Promise<void> =>
  updateRoute(parts.store.db, routeId, values)

/** The version is stored first, and is the same as long as the source accepts it (RTX-115, RTX-117). */
export const runtime: Step<Publication> = {
  name: 'php',
  run: async (publication) => {
    const { parts, session } = publication
    const served = await servedNow(publication)
    const { instance, route } = served
    if (isProductionRow(instance)) {
      await store(publication, { php_version: instance.profile?.php_version ?? null, has_source: 1 })
      return parts.php.production.converge(session, instance.id)
    }
    const source = {
      checkoutPath: instance.checkout_path,
      directory: directoryOf(served),
      recorded: route.php_version ?? undefined,
    }
    // A package is served as files (PRJ-017).
    const version = projectTypeRules[instance.project_type].runsPhp
      ? await parts.php.versionFor(session, source)
      : null
    await store(publication, { php_version: version, has_source: 1 })
    const pool = poolFor({ ...served, route: { ...route, php_version: version } })
    if (pool) await parts.php.publish(session, pool)
  },
}

/** Before anything is served: the web server reads the web root and nothing else of the checkout (SRC-001). */
export const access: Step<Publication> = {
  name: 'source-access',
  run: async (publication) => {
    const { parts, session, call } = publication
    const { instance } = await servedNow(publication)
    const warnings = await accessFor(parts, session, instance)
    if (warnings.length > 0) call.note.property('source_access', warnings)
  },
}

/** Of production the selected release; before the first deployment there is none. */
async function accessFor(
  parts: PublicationParts,
  session: NodeSession,
  instance: ServedRoute['instance'],
): Promise<readonly string[]> {
  if (!isProductionRow(instance))
    return (await parts.sourceAccess.apply(session, instance.checkout_path)).warnings
  const { id, selected_release: release } = instance
  return release === null ? [] : openRelease(parts, session, { id, release })
}

const certificate: Step<Publication> = {
  name: 'certificate',
  run: async (publication) => {
    const { parts, session, call } = publication
    const served = await servedNow(publication)
    await parts.certificates.publishLeaf(session, appLeaf(served, { reload: false }))
    await publishRouterLeaves(parts, call, served.route)
  },
}

/** The Node first: a Router leads to what is served. The tunnel admits its members to every port (RTX-033). */
const site: Step<Publication> = {
  name: 'caddy',
  run: async (publication) => {
    await store(publication, { has_site: 1 })
    await publication.parts.webServer.build(publication.session, 'app-dev')
    await serveOnRouters(publication.parts, publication.call, (await servedNow(publication)).route)
  },
}

const url: Step<Publication> = {
  name: 'application-url',
  run: async (publication) => {
    const { parts, session } = publication
    const outcome = await writeApplicationUrl(parts, session, await servedNow(publication))
    return outcome === 'unsupported' ? 'skipped' : undefined
  },
}

/** Last: whoever hears the name finds the site behind it (RTE-189). */
const name: Step<Publication> = {
  name: 'dns',
  run: async (publication) => {
    await store(publication, { has_name: 1 })
    await publication.parts.names.publish(publication.call)
  },
}

const settle: Step<Publication> = {
  name: 'activate',
  run: (publication) => store(publication, { status: 'active', failed_step: null, error_code: null }),
}

/** What makes a Node serve a Route, without its name. */
export const servingSteps: readonly Step<Publication>[] = [runtime, access, certificate, site]

const edgeOf = ({ parts, call, routeId }: Publication) => edgeChangeOf(parts, call, [routeId])

/** From the stored record to the answered name, and for the public to its ingress (RTE-045); every step may be repeated. */
export const routePublication = stepList<Publication>(
  'route-publication',
  ({ namesApplication, isPublic = false }) => [
    ...servingSteps,
    ...(namesApplication ? [url] : []),
    name,
    ...(isPublic ? publishingSteps(edgeOf) : []),
    settle,
  ],
  { forwardOnly: true },
)

/** What failed stays on the record; its status is that of whoever publishes (RTX-022, RTX-023). */
export const stepLogOf = ({
  parts,
  routeId,
}: {
  readonly parts: Pick<RoutesParts, 'store'>
  readonly routeId: RouteRow['id']
}): StepLog =>
  columnsLog<Changes>({
    on: { failed: (step, cause) => ({ failed_step: step, error_code: codeOf(cause) }) },
    write: (failure) => updateRoute(parts.store.db, routeId, failure),
  })

export const publishRoute = async (publication: Publication): Promise<void> =>
  void (await performSteps(routePublication, publication, {
    call: publication.call,
    log: stepLogOf(publication),
  }))
