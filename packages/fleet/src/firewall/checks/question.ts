import { readState } from '#/firewall/commands/read-state.ts'
import { type FirewallState, readState as stateOf } from '#/firewall/ufw/state.ts'
import { type Question, readPrinted } from '#/nodes/api.ts'

/** The firewall of the Node, asked once for all checks. */
export const firewallQuestion: Question<FirewallState> = {
  source: readState.source,
  args: [''],
  read: (printed) => readPrinted(printed, stateOf),
}
