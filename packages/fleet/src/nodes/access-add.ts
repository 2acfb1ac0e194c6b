import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import { addGrant } from '#/nodes/grants/queries.ts'
import { requireNode } from '#/nodes/locks.ts'
import { identityOf } from '#/nodes/present.ts'

/** Idempotent (GRANT-005). A Node always may act on itself, so that grant is never stored (GRANT-009). */
export const makeAccessAdd =
  (store: Store, clock: Clock): Handler<'node:access:add'> =>
  async ({ call, input, found }) => {
    const serving = found?.serving ?? (await requireNode(store, input.serving))
    const consumer = found?.consumer ?? (await requireNode(store, input.consumer))
    call.note.target(serving.id)
    call.note.property('consumer_node_id', consumer.id)
    const grant = {
      consumer_node_id: consumer.id,
      serving_node_id: serving.id,
      created_at: clock.now().toISOString(),
    }
    const added = consumer.id !== serving.id && (await addGrant(store.db, grant))
    return {
      data: {
        consumer_node: identityOf(consumer),
        serving_node: identityOf(serving),
        already_exists: !added,
      },
    }
  }
