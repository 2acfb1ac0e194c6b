/** What the agent says of itself as a member (AG-012, AG-038). */
export const AGENT_VERSION = '0.2.0'
