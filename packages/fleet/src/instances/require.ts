import { fail, type InstanceData } from '@fleet/contract'
import type { NodeRecord } from '#/nodes/api.ts'
import type { ProjectRecord } from '#/projects/api.ts'
import type { InstanceDeps } from './deps.ts'
import { requireSameNode } from './locks.ts'
import { presentInstance } from './present.ts'
import type { Owner, InstanceRow } from './queries.ts'
import { nodeDetail } from './checkout-session.ts'

/** A stored Instance with what it belongs to. */
export interface FoundInstance {
  readonly row: InstanceRow
  readonly project: ProjectRecord
  readonly node: NodeRecord
}

/** What an Instance is read with. */
export type InstanceReads = Pick<InstanceDeps, 'queries' | 'projects' | 'nodes'>

export async function findInstance(deps: InstanceReads, id: number): Promise<FoundInstance | undefined> {
  const row = await deps.queries.find(id)
  if (!row) return undefined
  const [project, node] = await Promise.all([
    deps.projects.find(row.project_id),
    deps.nodes.find(row.node_id),
  ])
  // Foreign keys keep both as long as the row exists, so a missing one means that the row was deleted between the
  // reads.
  return project && node ? { row, project, node } : undefined
}

/** Throws `instance.not_found`. */
export async function requireInstance(deps: InstanceDeps, id: number): Promise<FoundInstance> {
  const found = await findInstance(deps, id)
  if (!found) throw fail('instance.not_found')
  return found
}

/**
 * The Instance of a request as it is under its lifecycle lock. Throws `instance.not_found`, and `instance.lifecycle_busy` for one
 * that is on another Node by now.
 */
export async function requireUnmoved(
  deps: InstanceDeps,
  { row: seen }: Pick<FoundInstance, 'row'>,
): Promise<FoundInstance> {
  const found = await requireInstance(deps, seen.id)
  requireSameNode(seen, found.row, 'instance.lifecycle_busy')
  return found
}

/** Throws `node.not_active`. */
export function requireNodeActive(node: NodeRecord): void {
  if (node.status !== 'active') throw fail('node.not_active', { details: nodeDetail({ node }) })
}

/** The record as it is answered, with the Route of its own. */
export const presented = async (
  { routes }: Pick<InstanceDeps, 'routes'>,
  row: InstanceRow,
  owner: Owner,
): Promise<InstanceData> => presentInstance(row, owner, (await routes.own([row.id])).get(row.id))
