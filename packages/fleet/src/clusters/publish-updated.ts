import type { Call } from '#/call.ts'
import { type Nodes, presentNode } from '#/nodes/api.ts'

/** `node.updated` for Nodes whose record a Cluster operation has changed; Clusters have no event of their own (CLU-012). At once, since what follows may fail. */
export async function publishUpdated(
  nodes: Pick<Nodes, 'find'>,
  call: Call,
  ids: readonly number[],
): Promise<void> {
  for (const id of ids) {
    const node = await nodes.find(id)
    if (node) await call.publish('node.updated', presentNode(node))
  }
}
