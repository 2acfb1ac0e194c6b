import { fail, type InputOf, projectTypeRules, type RouteData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { requireScopes, type RouteScope } from '#/clusters/api.ts'
import {
  applicationDirectory,
  effectiveRoot,
  type InstanceRecord,
  requireNoTransfer,
  requireSameNode,
} from '#/instances/api.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { requireNoOwn } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { namingFailed } from '#/routes/failed-creation.ts'
import {
  domainTaken,
  nodeScopeOrRefuse,
  requireNotOfNode,
  requireNotReserved,
  requireWebRoot,
  suffixOrRefuse,
} from '#/routes/plan.ts'
import { presentRoute } from '#/routes/present.ts'
import { requireProductionRoot } from '#/routes/production/web-root.ts'
import { addTarget, findByDomain, findRoute, insertRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'
import { type AppRequest, appRequestOrRefuse, isSameApp, takenByApp } from '#/routes/rules.ts'
import { publishRoute } from '#/routes/steps/publication.ts'

const BUSY = 'env.operation_busy'

type Created = { readonly data: RouteData; readonly created: boolean }

/**
 * A Route to an Instance: its own one, or one of a further directory of its checkout. It stays `activating` until its name is
 * answered; the identical request resumes it (RTE-044 to RTE-046, RTX-023).
 */
export async function createAppRoute(
  deps: RoutesDeps,
  call: Call,
  input: InputOf<'route:create'> & { readonly instance_id: number },
): Promise<Created> {
  const request = appRequestOrRefuse(input)
  const instance = await activeOrRefuse(deps, request)
  const suffix = await suffixOrRefuse(deps)
  requireNotReserved(request.domain, suffix)
  call.note.target(instance.node.id)
  return deps.instances.withOperationLock(call, instance.id, BUSY, async () => {
    // It may have been removed or moved while this waited.
    const current = await activeOrRefuse(deps, request)
    requireSameNode(instance, current, BUSY)
    requireNoTransfer(current)
    const stored = await storedOrNew(deps, call, current, { ...request, suffix })
    call.note.subject('route', stored.route.id)
    return finish(deps, call, current, stored)
  })
}

async function activeOrRefuse(
  { instances }: RoutesDeps,
  { instanceId }: AppRequest,
): Promise<InstanceRecord> {
  const instance = await instances.find(instanceId)
  if (instance?.status === 'active') return instance
  throw fail('route.target_inactive', {
    ...(instance ? {} : { message: 'No Instance has this id.' }),
    details: { instance_id: instanceId },
  })
}

interface Stored {
  readonly route: RouteRecord
  readonly isNew: boolean
}

async function storedOrNew(
  deps: RoutesDeps,
  call: Call,
  instance: InstanceRecord,
  { suffix, ...request }: AppRequest & { readonly suffix: string },
): Promise<Stored> {
  const known = await findByDomain(deps.store.db, request.domain)
  if (known) {
    if (!isSameApp(known, request)) throw takenByApp(known, { ...request, projectId: instance.project_id })
    return { route: known, isNew: false }
  }
  await requireNotOfNode(deps, { domain: request.domain, suffix, nodeId: instance.node.id })
  requireProductionRoot(instance, request.webRoot)
  if (request.webRoot === null) requireWebRoot(effectiveRoot(instance))
  const { clusterId } = await nodeScopeOrRefuse(deps, instance.node)
  if (request.webRoot === null) await requireNoOwn(deps, instance.id)
  await requireServable(deps, call, instance, request)
  return { route: await insert(deps, instance, { ...request, clusterId }), isNew: true }
}

/** Before the Route is recorded: a refusal leaves nothing (GW-027). Throws `node.capability_missing`. */
async function requireServable(
  { nodes, php }: RoutesDeps,
  call: Call,
  instance: InstanceRecord,
  { webRoot }: AppRequest,
): Promise<void> {
  const { project, node, environment, checkout_path: checkoutPath } = instance
  if (environment === 'production' || !projectTypeRules[project.type].runsPhp) return
  const directory = applicationDirectory(webRoot ?? effectiveRoot(instance))
  await php.requireServable(nodes.sessions.overTunnel(call, node), { checkoutPath, directory })
}

const insert = (
  { store, clock }: RoutesDeps,
  { id, project_id, node_id }: InstanceRecord,
  { domain, publication, webRoot, clusterId }: AppRequest & Pick<RouteScope, 'clusterId'>,
): Promise<RouteRecord> =>
  store.transaction(async (tx) => {
    await requireScopes(tx, [{ nodeId: node_id, clusterId }])
    const route = await insertRoute(tx, {
      kind: 'app',
      project_id,
      node_id: clusterId === null ? node_id : null,
      cluster_id: clusterId,
      domain,
      web_root: webRoot,
      provenance: 'explicit',
      publication,
      status: 'activating',
      created_at: clock.now().toISOString(),
    })
    if (!route) throw domainTaken(domain)
    await addTarget(tx, route.id, id)
    return route
  })

/** Resumes an interrupted creation; any other Route is returned unchanged. In production a further one that fails leaves nothing but its record (RTE-058). */
const finish = (
  deps: RoutesDeps,
  call: Call,
  { node, environment }: InstanceRecord,
  { route, isNew }: Stored,
): Promise<Created> =>
  holding(deps.store, call, lockOf('route', route.id), async () => {
    const { db } = deps.store
    const current = (await findRoute(db, route.id)) ?? route
    const isCreated = current.status === 'activating' && current.replaces_route_id === null
    if (!isCreated) return { data: presentRoute(current), created: false }
    const session = deps.nodes.sessions.overTunnel(call, node)
    const isPublic = current.publication === 'public'
    await publishRoute({
      deps,
      call,
      session,
      routeId: route.id,
      namesApplication: true,
      isPublic,
      isTakenBack: environment === 'production' && current.web_root !== null,
      isResumed: !isNew,
    }).catch(async (error: unknown) => {
      throw await namingFailed(deps, route.id, error)
    })
    const data = presentRoute((await findRoute(db, route.id)) ?? current)
    call.event('route.created', data)
    return { data, created: isNew }
  })
