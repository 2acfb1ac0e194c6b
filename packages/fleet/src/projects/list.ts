import type { Store } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import type { Nodes } from '#/nodes/api.ts'
import type { InstancePlacements } from '#/projects/ports.ts'
import { presentProject } from '#/projects/present.ts'
import { listProjects } from '#/projects/queries.ts'
import { visibleNodes } from '#/projects/visibility.ts'

/** By slug: Projects that run on a Node the caller may address, and those that run nowhere (PRJ-027, PRJ-031). */
export const makeList =
  ({ db }: Store, nodes: Nodes, placements: InstancePlacements): Handler<'project:list'> =>
  async ({ call }) => {
    const visible = await visibleNodes(nodes, call.caller)
    const projects = await listProjects(db)
    if (!visible) return { data: projects.map(presentProject) }
    const placed = await placements.nodeIdsByProject()
    const shown = projects.filter(({ id }) => {
      const nodeIds = placed.get(id) ?? []
      return nodeIds.length === 0 || nodeIds.some((nodeId) => visible.has(nodeId))
    })
    return { data: shown.map(presentProject) }
  }
