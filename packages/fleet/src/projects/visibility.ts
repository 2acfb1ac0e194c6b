import type { ExclusionData } from '@fleet/contract'
import type { Caller } from '#/call.ts'
import type { Nodes } from '#/nodes/api.ts'

/** Node ids that the caller may address; undefined when a gateway grant shows everything. */
export async function visibleNodes(
  nodes: Nodes,
  caller: Caller | undefined,
): Promise<ReadonlySet<number> | undefined> {
  if (!caller) return new Set()
  return (await nodes.hasGatewayGrant(caller)) ? undefined : nodes.addressable(caller)
}

/** Exclusions on Nodes that the caller may address (GW-009). */
export async function visibleExclusions(
  nodes: Nodes,
  caller: Caller | undefined,
  projectId: number,
): Promise<ExclusionData[]> {
  const visible = await visibleNodes(nodes, caller)
  const exclusions = await nodes.exclusions.ofProject(projectId)
  return exclusions.filter(({ node_id }) => visible?.has(node_id) ?? true)
}
