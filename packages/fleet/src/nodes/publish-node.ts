import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import { presentNode } from '#/nodes/present.ts'
import { findNode } from '#/nodes/queries.ts'
import type { NodeRecord } from '#/nodes/record.ts'

/**
 * Publishes `node.updated` with what is stored by now, at once: operations under other locks change the same record, and of
 * two events the later one has to say both changes (decision 0336).
 * Answers the record; undefined, and nothing is published, when it is gone.
 */
export async function publishNode(db: Database, call: Call, nodeId: number): Promise<NodeRecord | undefined> {
  const node = await findNode(db, nodeId)
  if (node) await call.publish('node.updated', presentNode(node))
  return node
}
