import { fail, type InputOf, invalid, type ProjectType } from '@fleet/contract'
import type { Database } from '@fleet/store'
import { holdRole, isEmbedded, type NodeRecord, type Nodes } from '#/nodes/api.ts'
import { isBranchName, type ProjectRecord, type Projects, rootProblem } from '#/projects/api.ts'
import { nodeDetail } from './checkout-session.ts'

type CreateInput = InputOf<'instance:create'>

export interface Placement {
  readonly project: ProjectRecord
  readonly node: NodeRecord
}

/** The Project and the Node that a creation names, or their 404. */
export async function requirePlacement(
  deps: { readonly nodes: Nodes; readonly projects: Projects },
  input: CreateInput,
): Promise<Placement> {
  const project = await deps.projects.find(input.project_id)
  if (!project) throw fail('project.not_found')
  const node = await deps.nodes.find(input.node_id)
  if (!node) throw fail('node.not_found')
  return { project, node }
}

/** What decides where an Instance is, what it is cloned from and whether it may be created. */
const PLANNED_WITH = ['slug', 'type', 'repository_url', 'source_access', 'default_branch', 'root'] as const

/**
 * What was planned before the lock of the Project is planned with the Project of then. Throws `project.not_found`, and
 * `project.lifecycle_busy` when an update came in between: the identical request plans anew.
 */
export async function requireSameProject(
  { projects }: { readonly projects: Pick<Projects, 'find'> },
  { project: seen }: Pick<Placement, 'project'>,
): Promise<void> {
  const project = await projects.find(seen.id)
  if (!project) throw fail('project.not_found')
  if (PLANNED_WITH.every((name) => project[name] === seen[name])) return
  throw fail('project.lifecycle_busy', {
    message: `The Project ${project.slug} has been changed since this request began. Repeat it.`,
  })
}

/** The effective web root. Refuses a creation that this Project or Node does not take, before any change (INS-045, INS-057, INS-059). */
export async function requireUsable(
  nodes: Nodes,
  { project, node }: Placement,
  input: CreateInput,
): Promise<string> {
  if (project.default_branch === null || project.root === null)
    throw fail('project.source_defaults_incomplete')
  requireAppNode(node)
  await requireNotExcluded(nodes, { project, node })
  const root = input.root ?? project.root
  requireInput(input, root, project.type)
  return root
}

/** Throws `instance.node_excluded` (INS-045). */
export async function requireNotExcluded(
  nodes: Pick<Nodes, 'isExcluded'>,
  { project, node }: Pick<Placement, 'project' | 'node'>,
): Promise<void> {
  if (!(await nodes.isExcluded(project.id, node.id))) return
  throw fail('instance.node_excluded', {
    message: `The Node ${node.name} is excluded from development of this Project. To allow it: \`fleet node:excluded-project:remove ${node.id} ${project.id}\`.`,
    details: nodeDetail({ node }),
  })
}

/** Refuses a Node that takes no development Instance of any Project: it is an active Linux Node with `app-dev` (INS-045). */
export function requireAppNode(node: NodeRecord): void {
  if (node.status === 'active' && node.activeRoles.includes('app-prod'))
    throw fail('instance.candidate_required', { details: nodeDetail({ node }) })
  requireDevelopmentNode(node)
}

/** The same of an Instance that exists already, for which a clone is no way to get there (INS-097). */
export function requireDevelopmentNode(node: NodeRecord): void {
  const details = nodeDetail({ node })
  if (node.status !== 'active') throw fail('instance.node_inactive', { details })
  const isDevelopment = node.activeRoles.includes('app-dev') && !node.activeRoles.includes('app-prod')
  if (!isLinux(node) || !isDevelopment) throw fail('instance.node_not_app_dev', { details })
}

/** In the transaction that leads an Instance to the Node: nobody has taken its role away since that was asked (decision 0377). */
export async function holdDevelopmentRole(
  tx: Database,
  node: Pick<NodeRecord, 'id' | 'name'>,
): Promise<void> {
  if (!(await holdRole(tx, node.id, 'app-dev')))
    throw fail('instance.node_not_app_dev', { details: nodeDetail({ node }) })
}

/** An embedded Node is served as what this machine is. */
export const isLinux = (node: NodeRecord): boolean => node.platform !== 'macos' || isEmbedded(node)

const requireInput = (input: CreateInput, root: string, type: ProjectType): void => {
  const problem = rootProblem(root, type)
  if (problem) throw invalid({ root: [problem] })
  if (input.branch !== undefined && !isBranchName(input.branch)) {
    throw invalid({ branch: ['must be a valid Git branch name'] })
  }
}
