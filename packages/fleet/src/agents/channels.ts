/** Names that belong to the agent of one Node (AGT-003). */
export const agentNames = (nodeId: number) => ({
  channel: `presence-node.${nodeId}`,
  logChannel: `presence-node-logs.${nodeId}`,
  member: `agent.${nodeId}`,
})
