import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Nodes } from '#/nodes/api.ts'

interface AccessDeps {
  readonly nodes: Pick<Nodes, 'find' | 'mayActOn'>
}

/** Throws `node_access.required` for a caller without a grant on a Node that takes part, beside that of the operation. */
export async function requireAccess({ nodes }: AccessDeps, { caller }: Call, nodeId: number): Promise<void> {
  if (!caller || (await nodes.mayActOn(caller.id, nodeId))) return
  const node = await nodes.find(nodeId)
  throw fail('node_access.required', {
    details: {
      consumer_node: { id: caller.id, name: caller.name },
      serving_node: node ? { id: node.id, name: node.name } : null,
    },
  })
}
