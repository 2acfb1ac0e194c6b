import type { Database } from '@fleet/store'
import { addGrant } from '#/nodes/grants/queries.ts'
import { findGatewayNode } from '#/nodes/queries.ts'

/**
 * The gateway Node and the Node that asked for the enrolment may act on the new Node from its reservation on, so that a
 * failed enrolment can be seen, repeated and removed too.
 */
export async function grantEnrolled(
  db: Database,
  nodeId: number,
  enrollerId: number | undefined,
  now: string,
): Promise<void> {
  const gateway = await findGatewayNode(db)
  for (const consumer of new Set([gateway?.id, enrollerId])) {
    // A Node always may act on itself, so that grant is never stored (GRANT-009).
    if (consumer !== undefined && consumer !== nodeId)
      await addGrant(db, { consumer_node_id: consumer, serving_node_id: nodeId, created_at: now })
  }
}
