/** Member id of the agent of a Node (AG-009). */
export const agentMember = (nodeId: number): string => `agent.${nodeId}`

/** Names that belong to the agent of one Node (AGT-003). */
export const agentNames = (nodeId: number) => ({
  channel: `presence-node.${nodeId}`,
  logChannel: `presence-node-logs.${nodeId}`,
  member: agentMember(nodeId),
})
