import type { Store } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import { requireNode } from '#/nodes/locks.ts'
import type { Exclusions } from '#/nodes/nodes.ts'

/** Existing Instances stay; only later development placements are refused (NODE-119). */
export const makeExcludedProjectAdd =
  (store: Store, exclusions: Exclusions): Handler<'node:excluded-project:add'> =>
  async ({ call, input, found }) => {
    call.note.property('project_id', input.project)
    const node = found?.node ?? (await requireNode(store, input.node))
    return { data: await exclusions.add(input.project, node) }
  }
