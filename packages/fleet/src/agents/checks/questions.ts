import { fields, MalformedOutput, ROOT_FILES } from '@fleet/shell'
import { type AgentState, agentStateOf } from '#/agents/commands/answers.ts'
import { AGENT_STATE } from '#/agents/commands/state.ts'
import { AGENT_PLACE } from '#/agents/place.ts'
import {
  EXECUTABLE_PLACE,
  EXECUTABLE_STATE,
  type ExecutableState,
  executableStateOf,
  type Question,
} from '#/nodes/api.ts'

export interface AgentView {
  readonly agent: AgentState
  readonly executable: ExecutableState
  /** The unit file stands there, whatever it says. */
  readonly installed: boolean
  readonly active: boolean
}

const SOURCE = `${ROOT_FILES}
directory=$1 link=$2 home=$3 units=$4 runtime=$5
${EXECUTABLE_STATE}
${AGENT_STATE}
executable_state
agent_state
if [ -f "$units/$unit_name" ]; then field installed yes; else field installed no; fi
field active "$(systemctl is-active "$unit_name")"
`

/** Executable and agent in one answer: hashing the executable is the dearest part of an inspection. */
export const agentQuestion: Question<AgentView> = {
  source: SOURCE,
  args: [
    EXECUTABLE_PLACE.directory,
    EXECUTABLE_PLACE.link,
    AGENT_PLACE.home,
    AGENT_PLACE.unitDirectory,
    AGENT_PLACE.runtime,
  ],
  read({ exitCode, text }) {
    if (exitCode !== 0) return undefined
    try {
      const answer = fields(Buffer.from(`${text}\n`))
      return {
        agent: agentStateOf(answer),
        executable: executableStateOf(answer),
        installed: answer.get('installed')?.toString() === 'yes',
        active: answer.get('active')?.toString() === 'active',
      }
    } catch (error) {
      if (error instanceof MalformedOutput) return undefined
      throw error
    }
  },
}
