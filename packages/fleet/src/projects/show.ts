import type { Store } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import type { Nodes } from '#/nodes/api.ts'
import { requireProject } from '#/projects/locks.ts'
import { presentProject, presentUpdate } from '#/projects/present.ts'
import { openUpdate } from '#/projects/update-records.ts'
import { visibleExclusions } from '#/projects/visibility.ts'

export const makeShow =
  (store: Store, nodes: Nodes): Handler<'project:show'> =>
  async ({ call, input, found }) => {
    const project = found?.project ?? (await requireProject(store, input.project))
    const excluded_nodes = await visibleExclusions(nodes, call.caller, project.id)
    const open = await openUpdate(store.db, project.id)
    const open_update = open ? presentUpdate(open) : null
    return { data: { ...presentProject(project), excluded_nodes, open_update } }
  }
