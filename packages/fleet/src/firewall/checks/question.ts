import { MalformedOutput } from '@fleet/shell'
import { READ_STATE } from '#/firewall/commands/read-state.ts'
import { type FirewallState, readAnswer } from '#/firewall/ufw/state.ts'
import type { Question } from '#/nodes/api.ts'

/** The firewall of the machine, asked once for all checks. */
export const firewallQuestion: Question<FirewallState> = {
  source: READ_STATE,
  args: [''],
  read: ({ exitCode, text }) => {
    if (exitCode !== 0) return undefined
    try {
      // The last newline belongs to the last field.
      const answer = readAnswer(Buffer.from(`${text}\n`))
      return 'refused' in answer ? undefined : answer
    } catch (error) {
      if (error instanceof MalformedOutput) return undefined
      throw error
    }
  },
}
