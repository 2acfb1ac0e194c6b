import { fail, type NodeIdentity } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type { Call, Caller } from '#/call.ts'
import type { Nodes } from '#/nodes/nodes.ts'

/** Throws `node_access.required` for a caller without a grant on a Node that takes part, beside that of the operation (GW-008). */
export async function requireAccess(
  nodes: Pick<Nodes, 'identity' | 'mayActOn'>,
  { caller }: Call,
  nodeId: number,
): Promise<void> {
  if (!caller || (await nodes.mayActOn(caller.id, nodeId))) return
  throw accessRequired(caller, (await nodes.identity(nodeId)) ?? null)
}

/** The refusal with both Nodes (GW-008). */
export const accessRequired = ({ id, name }: Caller, serving: NodeIdentity | null): CodedError =>
  fail('node_access.required', { details: { consumer_node: { id, name }, serving_node: serving } })
