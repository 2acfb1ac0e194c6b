import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { HandlersOf } from '#/handler.ts'
import type { NodeRecord, Nodes } from '#/nodes/api.ts'
import { requireProject } from '#/projects/locks.ts'
import { visibleExclusions } from '#/projects/visibility.ts'

/** The Project's side of the pairs that `node:excluded-project:*` shows from the Node's (NODE-114). */
export const makeExcludedNodes = (
  store: Store,
  nodes: Nodes,
): HandlersOf<
  'project:excluded-node:list' | 'project:excluded-node:add' | 'project:excluded-node:remove'
> => ({
  'project:excluded-node:list': async ({ call, input, found }) => {
    const project = found?.project ?? (await requireProject(store, input.project))
    return { data: await visibleExclusions(nodes, call.caller, project.id) }
  },
  'project:excluded-node:add': async ({ call, input, found }) => {
    call.note.property('project_id', input.project)
    const project = found?.project ?? (await requireProject(store, input.project))
    return {
      data: await nodes.exclusions.add(project.id, found?.node ?? (await requireNode(nodes, input.node))),
    }
  },
  'project:excluded-node:remove': async ({ call, input, found }) => {
    call.note.property('project_id', input.project)
    const project = found?.project ?? (await requireProject(store, input.project))
    return {
      data: await nodes.exclusions.remove(project.id, found?.node ?? (await requireNode(nodes, input.node))),
    }
  },
})

async function requireNode(nodes: Nodes, id: number): Promise<NodeRecord> {
  const node = await nodes.find(id)
  if (!node) throw fail('node.not_found')
  return node
}
