import {
  type Access,
  decodeText,
  fail,
  id as recordId,
  isIdAlone,
  MAX_TARGETS,
  type NodeIdentity,
  type Operation,
  pathSegments,
  type RoleName,
  roleNames,
  unknownCode,
} from '@fleet/contract'
import type { AccessRecords } from '#/access/authorize.ts'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'
import { pathId } from '#/path-id.ts'
import { isRelocatable } from '#/roles/api.ts'
import {
  type FoundRecords,
  type Locate,
  type Located,
  type Locators,
  type PathRecords,
  type RawRequest,
  SeveralRecords,
} from '#/handler.ts'

type Deps = AccessRecords & { readonly locators: Locators }
/** The Nodes that the caller needs grants on, and the subject of the Activity. */
type Concerned = (deps: Deps, found: FoundRecords, raw: RawRequest) => Promise<Located>

/** What a request is about. Throws the 404 code of the path parameter that names nothing. */
export const makeLocate =
  (deps: Deps): Locate =>
  async (operation, raw) => {
    try {
      const found = await findRecords(deps.locators, operation, raw)
      return { ...(await CONCERNED[operation.access](deps, found, raw)), found }
    } catch (error) {
      if (!(error instanceof SeveralRecords)) throw error
      return { nodes: await deps.nodes.identities(error.nodeIds), any: true, refusal: error.error }
    }
  }

/** The key of the locator of a path parameter; undefined for one that names no record. */
export function locatorKey(keys: readonly string[], param: string, before: string): string | undefined {
  return [`${before}/{${param}}`, `{${param}}`].find((key) => keys.includes(key))
}

async function findRecords(
  locators: Locators,
  operation: Operation,
  { path }: RawRequest,
): Promise<FoundRecords> {
  const byKey = new Map(Object.entries(locators))
  const keys = [...byKey.keys()]
  let found: FoundRecords = {}
  for (const { param, before } of pathSegments(operation.path)) {
    const locator = byKey.get(locatorKey(keys, param, before) ?? '')
    if (!locator) continue
    const text = path[param] ?? ''
    const isNamed = pathId(text) !== undefined || !isIdAlone(operation, param)
    const record = isNamed ? await locator(text, found) : undefined
    if (record === undefined && operation.mayBeGone?.includes(param)) continue
    if (record === undefined) throw fail(unknownCode(operation, param) ?? 'http.404')
    found = { ...found, [param]: record }
  }
  return found
}

const nothing: Located = { nodes: [] }

const bodyNode: Concerned = async (deps, _found, { body }) => {
  const id = idIn(body['node_id'])
  if (id === undefined) return nothing
  const node = await deps.nodes.identity(id)
  if (!node) throw fail('node.not_found')
  return { nodes: [node] }
}

const routeNodes: Concerned = async (deps, { route }) => {
  const { id, node_id, cluster_id } = named(route)
  const subject = { type: 'route', id }
  if (node_id !== null) return { nodes: await deps.nodes.identities([node_id]), subject }
  const { members = [] } = (cluster_id === null ? undefined : await deps.clusters.find(cluster_id)) ?? {}
  return { nodes: await ownersOf(deps, members), subject }
}

/** What is of no Node is the gateway's, so that it can be looked at and removed (CLU-011). */
const ownersOf = async (deps: Deps, members: readonly NodeIdentity[]): Promise<readonly NodeIdentity[]> =>
  members.length > 0 ? members.map(identityOf) : gatewayNode(deps)

const CONCERNED = {
  public: async () => nothing,
  peer: async () => nothing,
  agent: async () => nothing,
  gateway: async (deps, { project, slug }) => ({
    nodes: await gatewayNode(deps),
    ...(project && asSubject(project)),
    ...(slug && {
      subject: { type: 'engine' in slug ? 'database_server' : 'database_connection', id: slug.id },
    }),
  }),
  node: async (_parts, { node }) => {
    const { id, name } = named(node)
    return { nodes: [{ id, name }], subject: { type: 'node', id } }
  },
  roleNodes: async (deps, { node }, { path, body }) =>
    roleNodes(deps, named(node), path['role'] ?? body['role']),
  relocationNodes: async (deps, { node }, { path, body }) => {
    const located = await roleNodes(deps, named(node), path['role'])
    // Nobody holds a grant on a gateway that is not there.
    if (located.nodes.length === 0) return located
    const former = idIn(body['from'])
    const from = former === undefined ? [] : await deps.nodes.identities([former])
    const nodes = distinct([...located.nodes, ...(await holdersOf(deps, path['role'])), ...from])
    return { ...located, nodes }
  },
  servingNode: async (deps, { serving }) => {
    const node = identityOf(named(serving))
    const nodes = distinct([node, ...(await gatewayNode(deps))])
    return { nodes, any: true, subject: { type: 'node', id: node.id } }
  },
  clusterNodes: async (deps, { cluster, node }) => {
    const { id, members } = named(cluster)
    const owners = await ownersOf(deps, members)
    // Nobody holds a grant on a gateway that is not there, so the Node alone must not open an empty Cluster.
    const nodes = owners.length > 0 ? [...owners, ...(node ? [identityOf(node)] : [])] : []
    return { nodes: distinct(nodes), subject: { type: 'cluster', id } }
  },
  bodyNode,
  transferNodes: async (deps, found, raw) => {
    const { id, node } = named(found.instance)
    const { nodes } = await bodyNode(deps, found, raw)
    return { nodes: distinct([identityOf(node), ...nodes]), subject: { type: 'instance', id } }
  },
  cloneNodes: async (deps, found, raw) => {
    const { id, node } = named(found.candidate)
    const { nodes } = await bodyNode(deps, found, raw)
    return { nodes: distinct([identityOf(node), ...nodes]), subject: { type: 'instance', id } }
  },
  instanceNode: async (_parts, { instance }) => {
    const { id, node } = named(instance)
    return { nodes: [identityOf(node)], subject: { type: 'instance', id } }
  },
  toolNode: async (_parts, { tool }) => {
    const { id, node } = named(tool)
    return { nodes: [identityOf(node)], subject: { type: 'tool', id } }
  },
  queryNode: async (deps, found, { path, query = {} }) => {
    const text = query['node_id']
    // As the input check reads it: another reader would let past what that one takes for an id.
    const node_id = typeof text === 'string' ? decodeText(recordId, text) : text
    return bodyNode(deps, found, { path, body: { node_id } })
  },
  processNode: async (_parts, { process }) => {
    const { id, node } = named(process)
    return { nodes: [identityOf(node)], subject: { type: 'process', id } }
  },
  deploymentNode: async (_parts, { deployment }) => {
    const { instance } = named(deployment)
    return { nodes: [identityOf(instance.node)], subject: { type: 'instance', id: instance.id } }
  },
  scheduleNode: async (_parts, { schedule }) => {
    const { id, node } = named(schedule)
    return { nodes: [identityOf(node)], subject: { type: 'schedule', id } }
  },
  // The operation asks whether the caller is the Node.
  scheduleHost: async () => nothing,
  bodyTarget: async (deps, _found, { body }) => {
    const { target_type: type } = body
    const id = idIn(body['target_id'])
    if (id === undefined) return nothing
    if (type !== 'node' && type !== 'instance') return nothing
    const node = type === 'node' ? await deps.nodes.identity(id) : (await deps.instances.find(id))?.node
    if (!node) throw fail(type === 'node' ? 'node.not_found' : 'instance.not_found')
    return { nodes: [identityOf(node)] }
  },
  activityNode: async (deps, { activity }) => {
    const { id, target_node_id, caller_node_id } = named(activity)
    const ids = [target_node_id, caller_node_id].filter((nodeId) => nodeId !== null)
    const nodes = [...(await deps.nodes.identities(ids)), ...(await gatewayNode(deps))]
    return { nodes, any: true, subject: { type: 'activity', id } }
  },
  projectNode: async (deps, { project }) => {
    const placed = await nodesOf(deps, named(project))
    const nodes = placed.length > 0 ? placed : await gatewayNode(deps)
    return { nodes, any: true, ...asSubject(named(project)) }
  },
  projectAddressable: async (deps, { project }) => {
    const placed = await nodesOf(deps, named(project))
    const nodes = placed.length > 0 ? [...placed, ...(await gatewayNode(deps))] : []
    return { nodes, any: true, ...asSubject(named(project)) }
  },
  routeNodes,
  routeTarget: async (deps, found, raw) => {
    const { nodes, ...located } = await routeNodes(deps, found, raw)
    // As above: the Node of an Instance alone must not open the Route of an empty Cluster.
    if (nodes.length === 0) return { ...located, nodes }
    const { instance_id, targets } = raw.body
    const named: readonly unknown[] = Array.isArray(targets) ? targets.slice(0, MAX_TARGETS) : [instance_id]
    const placed = [...nodes]
    for (const id of new Set(named.map(idIn))) {
      const instance = id === undefined ? undefined : await deps.instances.find(id)
      if (instance) placed.push(...(await routeScope(deps, instance.node)))
    }
    return { ...located, nodes: distinct(placed) }
  },
  bodyRoute: async (deps, found, raw) => {
    const id = idIn(raw.body['instance_id'])
    if (id === undefined) return bodyNode(deps, found, raw)
    const instance = await deps.instances.find(id)
    return { nodes: instance ? await routeScope(deps, instance.node) : [] }
  },
} as const satisfies Record<Access, Concerned>

/** Whom a Route to an Instance of the Node concerns: in an active Cluster another Node serves it, as Router or ingress (ACC-013). */
async function routeScope({ clusters }: Deps, node: NodeRecord): Promise<readonly NodeIdentity[]> {
  const cluster = node.cluster_id === null ? undefined : await clusters.find(node.cluster_id)
  const members = cluster?.state === 'active' ? cluster.members : []
  return distinct([identityOf(node), ...members.map(identityOf)])
}

/** The record that this kind of access is about: the catalogue test holds that its path has the parameter. */
function named<R>(record: R | undefined): R {
  if (record === undefined) throw new Error('the path of this operation lacks the parameter of its access')
  return record
}

const distinct = (nodes: readonly NodeIdentity[]): readonly NodeIdentity[] => [
  ...new Map(nodes.map((node) => [node.id, node])).values(),
]
const asSubject = ({ id }: PathRecords['{project}']): Pick<Located, 'subject'> => ({
  subject: { type: 'project', id },
})

/** The Node of a role, and whom the role concerns besides: who is reached through it (CLU-011, ACC-005). */
async function roleNodes(deps: Deps, { id, name, cluster_id }: NodeRecord, role: unknown): Promise<Located> {
  const subject = { type: 'node', id } as const
  if (isRole(role) && isRelocatable(role)) {
    const gateways = await gatewayHolders(deps)
    return { nodes: gateways.length === 0 ? [] : distinct([{ id, name }, ...gateways]), subject, target: id }
  }
  const cluster = role === 'ingress' && cluster_id !== null ? await deps.clusters.find(cluster_id) : undefined
  return { nodes: distinct([{ id, name }, ...(cluster?.members ?? []).map(identityOf)]), subject, target: id }
}

/** The gateway Node; while its role is not active, whoever has it may converge it again. */
async function gatewayHolders(deps: Deps): Promise<readonly NodeIdentity[]> {
  const active = await gatewayNode(deps)
  return active.length > 0 ? active : deps.nodes.holdersOf('gateway')
}

/** Also those from which it was not wholly taken. */
const holdersOf = async ({ nodes }: Deps, role: unknown): Promise<readonly NodeIdentity[]> =>
  isRole(role) && isRelocatable(role) ? nodes.holdersOf(role) : []

const isRole = (value: unknown): value is RoleName => roleNames.some((role) => role === value)

/** Any other value is refused by the input check, which names the member. */
const idIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined

async function gatewayNode({ nodes }: Deps): Promise<readonly NodeIdentity[]> {
  const gateway = await nodes.gateway()
  return gateway ? [identityOf(gateway)] : []
}

const nodesOf = async (
  { nodes, projects }: Deps,
  project: PathRecords['{project}'],
): Promise<readonly NodeIdentity[]> => nodes.identities(await projects.nodeIdsOf(project.id))
