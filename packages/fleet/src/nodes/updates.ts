import type { NodeUpdating } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { publishNode } from '#/nodes/publish-node.ts'
import { findUpdatingIds, holdUpdating, updateNode } from '#/nodes/queries.ts'

/** A run that died stops counting after this long. */
const STALE_MILLISECONDS = 20 * 60 * 1000
/** What `updating` of a Node shows. */
export interface NodeUpdates {
  /** Marks a Node; a repetition for the same release or rollout keeps the time of the first. */
  begin(call: Call, nodeId: number, what: Omit<NodeUpdating, 'since'>): Promise<void>
  end(call: Call, nodeId: number): Promise<void>
  /** Ends what a dead run left. */
  endStale(call: Call): Promise<void>
}

export function makeUpdates(
  { db, transaction }: Pick<Store, 'db' | 'transaction'>,
  clock: Clock,
): NodeUpdates {
  /** What `next` says of what is stored then is published, unless it is the same. */
  const change = async (
    call: Call,
    id: number,
    next: (now: NodeUpdating | null) => NodeUpdating | null,
  ): Promise<void> => {
    const isChanged = await transaction(async (tx) => {
      const held = await holdUpdating(tx, id)
      const after = held && next(held.updating)
      if (after === undefined || after === held?.updating) return false
      await updateNode(tx, id, { updating: after })
      return true
    })
    if (isChanged) await publishNode(db, call, id)
  }
  return {
    begin: (call, id, what) =>
      change(call, id, (now) =>
        now && now.release === what.release && now.rollout === what.rollout
          ? now
          : { ...what, since: clock.now().toISOString() },
      ),
    end: (call, id) => change(call, id, () => null),
    async endStale(call) {
      const oldest = clock.now().getTime() - STALE_MILLISECONDS
      // Each is published at once: the next one may fail, and nobody would find this one again.
      for (const id of await findUpdatingIds(db))
        await change(call, id, (now) => (now && Date.parse(now.since) <= oldest ? null : now))
    },
  }
}
