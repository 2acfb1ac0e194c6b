/** Where the agent stands on a Node (AGT-012, AGT-018). */
export interface AgentPlace {
  /** Folder of its files, 0700. */
  readonly home: string
  readonly unitDirectory: string
  /** Made by its unit; gone after a boot. */
  readonly runtime: string
}

export const AGENT_PLACE: AgentPlace = {
  home: '/etc/fleet/agent',
  unitDirectory: '/etc/systemd/system',
  runtime: '/run/fleet-agent',
}

export const AGENT_UNIT = 'fleet-agent.service'
