import { type Command, script, ROOT_FILES } from '@fleet/shell'
import type { AgentPlace } from '#/agents/place.ts'
import { AGENT_STATE } from '#/agents/commands/state.ts'
import { EXECUTABLE_STATE, type ExecutablePlace } from '#/nodes/api.ts'

/** Everything that decides whether there is something to do, in one round trip: the executable's state and the agent's. */
export const inspectAgent = (
  executable: ExecutablePlace,
  { home, unitDirectory, runtime }: AgentPlace,
): Command => script(INSPECT, executable.directory, executable.link, home, unitDirectory, runtime)

const INSPECT = `# look at the agent
${ROOT_FILES}
directory=$1 link=$2 home=$3 units=$4 runtime=$5
${EXECUTABLE_STATE}
${AGENT_STATE}
executable_state
agent_state
`
