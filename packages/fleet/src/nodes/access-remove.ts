import type { Store } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import { removeGrant } from '#/nodes/grants/queries.ts'
import { requireNode } from '#/nodes/locks.ts'
import { identityOf } from '#/nodes/present.ts'

/** Idempotent (GRANT-005); reports to a caller that it has just locked itself out (GRANT-006). */
export const makeAccessRemove =
  (store: Store): Handler<'node:access:remove'> =>
  async ({ call, input, found }) => {
    const serving = found?.serving ?? (await requireNode(store, input.serving))
    const consumer = found?.consumer ?? (await requireNode(store, input.consumer))
    call.note.target(serving.id)
    call.note.property('consumer_node_id', consumer.id)
    const removed = await removeGrant(store.db, consumer.id, serving.id)
    return {
      data: {
        consumer_node: identityOf(consumer),
        serving_node: identityOf(serving),
        already_absent: !removed,
        self_lockout: removed && consumer.id === call.caller?.id,
      },
    }
  }
