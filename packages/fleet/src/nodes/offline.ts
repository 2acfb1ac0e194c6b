import type { Call } from '#/call.ts'
import type { Nodes } from '#/nodes/nodes.ts'
import type { NodeRecord } from '#/nodes/record.ts'
import type { NodeSession } from '#/nodes/session/session.ts'

/**
 * A session on the Node; with `offline` undefined for one that is not active, or does not answer now, so that a removal leaves
 * its files behind (RTE-175, PROC-015).
 */
export async function sessionUnlessOffline(
  nodes: Pick<Nodes, 'answers' | 'sessions'>,
  call: Call,
  node: NodeRecord,
  offline: boolean,
): Promise<NodeSession | undefined> {
  if (offline && (await isSilent(nodes, call, node))) return undefined
  return nodes.sessions.overTunnel(call, node)
}

/** It is not active, or does not answer now. */
export const isSilent = async (
  nodes: Pick<Nodes, 'answers'>,
  call: Call,
  node: NodeRecord,
): Promise<boolean> => node.status !== 'active' || !(await nodes.answers(call, node))

/** Those of some Nodes that are silent; ids without a Node are passed over, and one that is named twice is asked once. */
export async function silentAmong(
  nodes: Pick<Nodes, 'answers' | 'find'>,
  call: Call,
  nodeIds: readonly number[],
): Promise<readonly NodeRecord[]> {
  const silent: NodeRecord[] = []
  for (const nodeId of new Set(nodeIds)) {
    const node = await nodes.find(nodeId)
    if (node && (await isSilent(nodes, call, node))) silent.push(node)
  }
  return silent
}
