import type { Store } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import { requireNode } from '#/nodes/locks.ts'
import type { Exclusions } from '#/nodes/nodes.ts'

/** Refused for a pair that is not stored (NODE-117). */
export const makeExcludedProjectRemove =
  (store: Store, exclusions: Exclusions): Handler<'node:excluded-project:remove'> =>
  async ({ call, input, found }) => {
    call.note.property('project_id', input.project)
    const node = found?.node ?? (await requireNode(store, input.node))
    return { data: await exclusions.remove(input.project, node) }
  }
