import type { Store } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import { requireNode } from '#/nodes/locks.ts'
import type { Exclusions } from '#/nodes/nodes.ts'

/** By Project slug (NODE-113). */
export const makeExcludedProjectList =
  (store: Store, exclusions: Exclusions): Handler<'node:excluded-project:list'> =>
  async ({ input, found }) => {
    const node = found?.node ?? (await requireNode(store, input.node))
    return { data: await exclusions.ofNode(node.id) }
  }
