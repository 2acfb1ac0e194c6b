import type { PlannedScope } from '#/clusters/api.ts'
import { effectiveRoot, type InstanceRecord } from '#/instances/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { nodeScopeOrRefuse, requireFree, requireWebRoot, suffixOrRefuse, tldOrRefuse } from '#/routes/plan.ts'
import type { RouteRecord } from '#/routes/record.ts'
import { domainOrRefuse, generatedDomain } from '#/routes/rules.ts'

/** Where a Route belongs that leads to another Instance, and its domain. */
export interface PlannedTarget {
  readonly domain: string
  readonly node_id: number | null
  readonly cluster_id: number | null
  readonly generation_basis_node_id: number | null
  /** Of the Node of the Instance. */
  readonly scope: PlannedScope
}

/**
 * The scope follows the Instance, and so does a generated domain (RTE-031, RTE-103). Throws `node.capability_missing`,
 * `route.target_web_root_unsupported`, `route.node_inactive`, `route.router_required`, `route.tld_required`,
 * `route.domain_invalid` and `route.domain_conflict`.
 */
export async function planTarget(
  deps: RoutesDeps,
  route: RouteRecord,
  { node, name, project, root }: InstanceRecord,
): Promise<PlannedTarget> {
  const suffix = await suffixOrRefuse(deps)
  if (route.web_root === null) requireWebRoot(effectiveRoot({ root, project }))
  const { tld, clusterId } = await nodeScopeOrRefuse(deps, node)
  const place = { node_id: clusterId === null ? node.id : null, cluster_id: clusterId }
  const scope = { nodeId: node.id, clusterId }
  if (route.provenance === 'explicit')
    return { ...place, scope, domain: route.domain, generation_basis_node_id: route.generation_basis_node_id }
  const generated = generatedDomain({ project: project.slug, name, tld: tldOrRefuse(tld, node) })
  const domain = domainOrRefuse(generated)
  if (domain !== route.domain) await requireFree(deps, { domain, suffix, nodeId: node.id })
  return { ...place, scope: { ...scope, tld }, domain, generation_basis_node_id: node.id }
}
