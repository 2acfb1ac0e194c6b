import type { NodeData, NodeUpdating } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { presentNode } from '#/nodes/present.ts'
import { findNode, findUpdatingIds, updateNode } from '#/nodes/queries.ts'

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

export function makeUpdates({ db }: Store, clock: Clock): NodeUpdates {
  const changed = async (id: number): Promise<NodeData[]> => {
    const node = await findNode(db, id)
    return node ? [presentNode(node)] : []
  }
  return {
    async begin(call, id, what) {
      const [node] = await changed(id)
      const now = node?.updating
      if (!node || (now && now.release === what.release && now.rollout === what.rollout)) return
      await updateNode(db, id, { updating: { ...what, since: clock.now().toISOString() } })
      for (const data of await changed(id)) await call.publish('node.updated', data)
    },
    async end(call, id) {
      const [node] = await changed(id)
      if (!node?.updating) return
      await updateNode(db, id, { updating: null })
      for (const data of await changed(id)) await call.publish('node.updated', data)
    },
    async endStale(call) {
      const oldest = clock.now().getTime() - STALE_MILLISECONDS
      for (const id of await findUpdatingIds(db)) {
        const [node] = await changed(id)
        if (!node?.updating || Date.parse(node.updating.since) > oldest) continue
        await updateNode(db, id, { updating: null })
        // At once: the next one may fail, and nobody would find this one again.
        for (const data of await changed(id)) await call.publish('node.updated', data)
      }
    },
  }
}
