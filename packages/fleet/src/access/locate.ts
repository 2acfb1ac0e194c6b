import { type Access, fail, type NodeIdentity, type Operation, unknownCode } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { findStoredActivity } from '#/activities/api.ts'
import type { AccessRecords } from '#/access/authorize.ts'
import { instancesNamed } from '#/access/instance-reference.ts'
import { pathId } from '#/access/path-id.ts'
import type { ClusterRecord } from '#/clusters/api.ts'
import type { Locate, Located, RawRequest } from '#/handler.ts'
import type { ProjectRecord } from '#/projects/api.ts'

type Parts = AccessRecords & { readonly store: Store }
type Locator = (parts: Parts, operation: Operation, raw: RawRequest) => Promise<Located>

/** What each kind of access is about. Throws the 404 code of the path parameter that names nothing. */
export const makeLocate =
  (parts: Parts): Locate =>
  (operation, raw) =>
    LOCATORS[operation.access](parts, operation, raw)

const nothing: Located = { nodes: [] }

const LOCATORS = {
  public: async () => nothing,
  peer: async () => nothing,
  agent: async () => nothing,
  gateway: async (parts, operation, raw) => {
    const subject = await subjectOf(parts, operation, raw)
    return { nodes: await gatewayNode(parts), ...subject }
  },
  node: async (parts, operation, raw) => {
    const node = await requireNode(parts, operation, raw, 'node')
    if ('project' in raw.path) await requireProject(parts, operation, raw)
    if ('name' in raw.path && !(await parts.firewall.hasRule(node.id, raw.path['name'] ?? '')))
      throw unknown(operation, 'name')
    return { nodes: [node], subject: { type: 'node', id: node.id } }
  },
  servingNode: async (parts, operation, raw) => {
    const node = await requireNode(parts, operation, raw, 'serving')
    await requireNode(parts, operation, raw, 'consumer')
    const nodes = distinct([node, ...(await gatewayNode(parts))])
    return { nodes, any: true, subject: { type: 'node', id: node.id } }
  },
  clusterNodes: async (parts, operation, raw) => {
    const { id, members } = await requireCluster(parts, operation, raw)
    const named = 'node' in raw.path ? [await requireNode(parts, operation, raw, 'node')] : []
    const owners = members.length > 0 ? members.map(identityOf) : await gatewayNode(parts)
    // Nobody holds a grant on a gateway that is not there, so the Node alone must not open an empty Cluster.
    const nodes = owners.length > 0 ? [...owners, ...named] : []
    return { nodes: distinct(nodes), subject: { type: 'cluster', id } }
  },
  bodyNode: async (parts, _operation, { body }) => {
    const id = body['node_id']
    // Any other value is refused by the input check, which names the member.
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) return nothing
    const node = await parts.nodes.identity(id)
    if (!node) throw fail('node.not_found')
    return { nodes: [node] }
  },
  instanceNode: async (parts, operation, raw) => {
    const instances = await instancesNamed(parts.instances, operation, raw.path['instance'] ?? '')
    const [first, second] = instances
    if (!first) throw unknown(operation, 'instance')
    const nodes = new Map(instances.map(({ node }) => [node.id, identityOf(node)]))
    const located = { nodes: [...nodes.values()] }
    return second ? located : { ...located, subject: { type: 'instance', id: first.id } }
  },
  processNode: async (parts, operation, raw) => {
    const id = pathId(raw.path['process'])
    const process = id === undefined ? undefined : await parts.processes.find(id)
    if (!process) throw unknown(operation, 'process')
    return { nodes: [identityOf(process.node)], subject: { type: 'process', id: process.id } }
  },
  activityNode: async (parts, operation, raw) => {
    const id = pathId(raw.path['activity'])
    const activity = id === undefined ? undefined : await findStoredActivity(parts.store, id)
    if (!activity) throw unknown(operation, 'activity')
    const ids = [activity.target_node_id, activity.caller_node_id].filter((nodeId) => nodeId !== null)
    const nodes = [...(await parts.nodes.identities(ids)), ...(await gatewayNode(parts))]
    return { nodes, any: true, subject: { type: 'activity', id: activity.id } }
  },
  projectNode: async (parts, operation, raw) => {
    const project = await requireProject(parts, operation, raw)
    const placed = await nodesOf(parts, project)
    return { nodes: placed.length > 0 ? placed : await gatewayNode(parts), any: true, ...asSubject(project) }
  },
  projectAddressable: async (parts, operation, raw) => {
    const project = await requireProject(parts, operation, raw)
    const placed = await nodesOf(parts, project)
    const nodes = placed.length > 0 ? [...placed, ...(await gatewayNode(parts))] : []
    return { nodes, any: true, ...asSubject(project) }
  },
} as const satisfies Record<Access, Locator>

const distinct = (nodes: readonly NodeIdentity[]): readonly NodeIdentity[] => [
  ...new Map(nodes.map((node) => [node.id, node])).values(),
]
const identityOf = ({ id, name }: NodeIdentity): NodeIdentity => ({ id, name })
const asSubject = ({ id }: ProjectRecord): Pick<Located, 'subject'> => ({ subject: { type: 'project', id } })

async function gatewayNode({ nodes }: Parts): Promise<readonly NodeIdentity[]> {
  const gateway = await nodes.gateway()
  return gateway ? [identityOf(gateway)] : []
}

const nodesOf = async (
  { nodes, projects }: Parts,
  project: ProjectRecord,
): Promise<readonly NodeIdentity[]> => nodes.identities(await projects.nodeIdsOf(project.id))

async function requireNode(
  { nodes }: Parts,
  operation: Operation,
  raw: RawRequest,
  param: string,
): Promise<NodeIdentity> {
  const id = pathId(raw.path[param])
  const node = id === undefined ? undefined : await nodes.identity(id)
  if (!node) throw unknown(operation, param)
  return node
}

async function requireCluster(
  { clusters }: Parts,
  operation: Operation,
  raw: RawRequest,
): Promise<ClusterRecord> {
  const id = pathId(raw.path['cluster'])
  const cluster = id === undefined ? undefined : await clusters.find(id)
  if (!cluster) throw unknown(operation, 'cluster')
  return cluster
}

async function requireProject(
  { projects }: Parts,
  operation: Operation,
  raw: RawRequest,
): Promise<ProjectRecord> {
  const id = pathId(raw.path['project'])
  const project = id === undefined ? undefined : await projects.find(id)
  if (!project) throw unknown(operation, 'project')
  return project
}

const subjectOf = async (
  parts: Parts,
  operation: Operation,
  raw: RawRequest,
): Promise<Pick<Located, 'subject'>> =>
  'project' in raw.path ? asSubject(await requireProject(parts, operation, raw)) : {}

// A parameter without a code of its own names no record and never gets here.
const unknown = (operation: Operation, param: string): CodedError =>
  fail(unknownCode(operation, param) ?? 'http.404')
