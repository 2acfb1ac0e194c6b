import { fail, projectTypeRules } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type { RouteScope } from '#/clusters/api.ts'
import type { InstanceRoutes, PlannedRoute } from '#/instances/api.ts'
import { findNamesake, identityOf, isWritable, type NodeRecord, UNWRITABLE } from '#/nodes/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { findByDomain } from '#/routes/queries.ts'
import { domainOrRefuse, generatedDomain, isReserved } from '#/routes/rules.ts'

type PlanDeps = Pick<RoutesDeps, 'store' | 'clusters' | 'network'>
type Placement = Parameters<InstanceRoutes['plan']>[0]
type Wanted = Parameters<InstanceRoutes['plan']>[1]

/** See `InstanceRoutes.plan`. */
export async function planRoute(
  deps: PlanDeps,
  { project, node }: Placement,
  { name, domain, effectiveRoot }: Wanted,
): Promise<PlannedRoute | undefined> {
  if (domain === undefined && !projectTypeRules[project.type].needsRoute) return undefined
  const explicit = domain === undefined ? undefined : domainOrRefuse(domain)
  const suffix = await suffixOrRefuse(deps)
  requireWebRoot(effectiveRoot)
  const { tld, clusterId } = await nodeScopeOrRefuse(deps, node)
  const planned: PlannedRoute =
    explicit === undefined
      ? {
          clusterId,
          domain: domainOrRefuse(
            generatedDomain({ project: project.slug, name, tld: tldOrRefuse(tld, node) }),
          ),
          provenance: 'generated',
          generationBasisNodeId: node.id,
          tld,
        }
      : { clusterId, domain: explicit, provenance: 'explicit', generationBasisNodeId: null }
  await requireFree(deps, { domain: planned.domain, suffix, nodeId: node.id })
  return planned
}

const NO_TLD_FOR_PREVIEW =
  'The preview domain cannot be generated: the Node has no top-level domain of its own.'

/** See `InstanceRoutes.planPreview`. */
export async function planPreview(
  deps: PlanDeps,
  { project, node }: Placement,
  { previewName, effectiveRoot }: Parameters<InstanceRoutes['planPreview']>[1],
): Promise<PlannedRoute | undefined> {
  if (!projectTypeRules[project.type].needsRoute) return undefined
  const suffix = await suffixOrRefuse(deps)
  requireWebRoot(effectiveRoot)
  const { clusterId } = await nodeScopeOrRefuse(deps, node)
  const tld = tldOrRefuse(node.tld, node, NO_TLD_FOR_PREVIEW)
  const domain = domainOrRefuse(`${previewName}.${tld}`)
  await requireFree(deps, { domain, suffix, nodeId: node.id })
  return { clusterId, domain, provenance: 'explicit', generationBasisNodeId: null }
}

/** The private suffix. Without a private network there is nobody to serve a domain to, and nothing that would answer it. */
export async function suffixOrRefuse({ network }: Pick<RoutesDeps, 'network'>): Promise<string> {
  const settings = await network.settings()
  if (settings) return settings.suffix
  throw fail('node.capability_missing', {
    message:
      'This fleet has no private network, so it cannot serve a domain. Instances of a `monorepo`, `laravel-package` or `node-package` without a `domain` need none; for all others install a gateway on a machine of its own, or try one with `npm run lab -- up`.',
    details: { capability: 'routes' },
  })
}

/** The repository itself is never served: its `.git` and `.env` would be (PRJ-019). Nor is what no file of a web server can name. */
export function requireWebRoot(webRoot: string): void {
  if (webRoot === '.') throw fail('route.target_web_root_unsupported', { details: { web_root: webRoot } })
  if (isWritable(webRoot)) return
  throw fail('route.target_web_root_unsupported', {
    message: `The web root \`${webRoot}\` cannot be served: its path must not contain ${UNWRITABLE}.`,
    details: { web_root: webRoot, reason: 'web_root_unwritable' },
  })
}

/**
 * Where Routes of a Node belong, and their effective top-level domain (RTE-031, RTE-038, RTE-039). Throws `route.node_inactive` and,
 * in an active Cluster without an active Router, `route.router_required` (RTE-084).
 */
export async function nodeScopeOrRefuse(
  { clusters }: Pick<RoutesDeps, 'clusters'>,
  node: NodeRecord,
): Promise<RouteScope> {
  const details = { node: identityOf(node) }
  if (node.status !== 'active' || node.wireguard_ip === null) throw fail('route.node_inactive', { details })
  const scope = await clusters.scopeOf(node)
  const { clusterId } = scope
  if (clusterId !== null && !(await clusters.routerOf(clusterId)))
    throw fail('route.router_required', { details: { ...details, cluster_id: clusterId } })
  return scope
}

export function tldOrRefuse(tld: string | null, node: NodeRecord, message?: string): string {
  if (tld === null)
    throw fail('route.tld_required', {
      ...(message === undefined ? {} : { message }),
      details: { node: identityOf(node) },
    })
  return tld
}

/** Throws `route.domain_conflict` for a name of Fleet's own, of another Node, and for one that another Route owns (RTE-073, RTE-074). */
export async function requireFree(
  { store }: Pick<RoutesDeps, 'store'>,
  { domain, suffix, nodeId }: WantedDomain,
): Promise<void> {
  requireNotReserved(domain, suffix)
  await requireNotOfNode({ store }, { domain, suffix, nodeId })
  const stored = await findByDomain(store.db, domain)
  if (stored) throw domainTaken(domain, stored.id)
}

/** Throws `route.domain_conflict` (RTE-074). */
export function requireNotReserved(domain: string, suffix: string): void {
  if (isReserved(domain, suffix)) throw fail('route.domain_conflict', { details: { domain } })
}

export interface WantedDomain {
  readonly domain: string
  readonly suffix: string
  /** Of the Instance, or of the upstream; null where it is a Router's. */
  readonly nodeId: number | null
}

/**
 * Throws `route.domain_conflict` for the private name of another Node, which is answered before any Route: nobody would reach the site,
 * and its Node would have a certificate for the other one (decisions 0122 and 0360).
 */
export async function requireNotOfNode(
  { store }: Pick<RoutesDeps, 'store'>,
  { domain, suffix, nodeId }: WantedDomain,
): Promise<void> {
  const name = domain.endsWith(`.${suffix}`) ? domain.slice(0, -suffix.length - 1) : ''
  if (name === '' || name.includes('.')) return
  const node = await findNamesake(store.db, { id: nodeId ?? 0, name })
  if (node)
    throw fail('route.domain_conflict', {
      message: `The Node ${node.name} has this name in the private network. Choose another domain.`,
      details: { domain },
    })
}

export const domainTaken = (domain: string, routeId?: number): CodedError =>
  fail('route.domain_conflict', {
    details: { domain, ...(routeId === undefined ? {} : { existing_route_id: routeId }) },
  })
