import { type ExclusionData, fail } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import { type Database, type NewRow, type Store, violationOf } from '@fleet/store'
import type { DevelopmentInstances } from '#/nodes/ports.ts'
import {
  deleteExclusion,
  type ExclusionRow,
  exclusionsOfNode,
  exclusionsOfProject,
  findExclusion,
  insertExclusion,
} from '#/nodes/exclusions/queries.ts'
import type { Exclusions } from '#/nodes/nodes.ts'
import type { NodeRecord } from '#/nodes/record.ts'

export interface ExclusionDeps {
  readonly store: Store
  readonly clock: Clock
  readonly placements: DevelopmentInstances
}

export function makeExclusions({ store: { db }, clock, placements }: ExclusionDeps): Exclusions {
  const counted = async (rows: readonly ExclusionRow[]): Promise<ExclusionData[]> => {
    const nodeIds = [...new Set(rows.map((row) => row.node_id))]
    const counts = new Map(
      await Promise.all(nodeIds.map(async (id) => [id, await placements.developmentCounts(id)] as const)),
    )
    return rows.map((row) => ({
      ...row,
      development_instance_count: counts.get(row.node_id)?.get(row.project_id) ?? 0,
    }))
  }
  const stored = async (projectId: number, nodeId: number): Promise<ExclusionData | undefined> => {
    const row = await findExclusion(db, projectId, nodeId)
    return row && (await counted([row]))[0]
  }
  return {
    ofNode: async (nodeId) => counted(await exclusionsOfNode(db, nodeId)),
    ofProject: async (projectId) => counted(await exclusionsOfProject(db, projectId)),
    add: async (projectId, node) => {
      requireAppDev(node)
      const created_at = clock.now().toISOString()
      const added = await insertOrRefuse(db, { project_id: projectId, node_id: node.id, created_at })
      const exclusion = await stored(projectId, node.id)
      if (!exclusion) throw fail('project.excluded_node_missing')
      return { ...exclusion, already_exists: !added }
    },
    remove: async (projectId, node) => {
      const exclusion = await stored(projectId, node.id)
      const removed = exclusion && (await deleteExclusion(db, projectId, node.id))
      if (!removed) throw fail('project.excluded_node_missing')
      return { ...exclusion, already_exists: true }
    },
  }
}

function requireAppDev({ id, name, activeRoles }: NodeRecord): void {
  if (activeRoles.includes('app-dev')) return
  throw fail('project.excluded_node_not_app_dev', { details: { node: { id, name } } })
}

async function insertOrRefuse(db: Database, row: NewRow<'node_exclusions'>): Promise<boolean> {
  try {
    return await insertExclusion(db, row)
  } catch (error) {
    // The Node was just read, so it is the Project that is gone.
    throw violationOf(error)?.kind === 'reference' ? fail('project.not_found', { cause: error }) : error
  }
}
