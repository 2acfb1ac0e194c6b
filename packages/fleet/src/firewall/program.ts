import { type CallerLimit, limitCallers } from '#/firewall/commands/limit-callers.ts'
import { type Listening, readListeners } from '#/firewall/commands/read-listeners.ts'
import { readState } from '#/firewall/commands/read-state.ts'
import { type Writing, writeRules } from '#/firewall/commands/write-rules.ts'
import type { FirewallState, WriteRefusal } from '#/firewall/ufw/state.ts'
import type { NodeSession } from '#/nodes/api.ts'

/** The firewall program of Nodes. All throw `node.command_failed` when it broke, and what NodeSession throws. */
export interface FirewallProgram {
  read(session: NodeSession): Promise<FirewallState>
  /** Whom a firewall that is turned on would keep out. */
  listening(session: NodeSession): Promise<Listening>
  /** The state afterwards, or why nothing changed. */
  write(session: NodeSession, writing: Writing): Promise<FirewallState | { readonly refused: WriteRefusal }>
  /** The accounts that the machine does not know: with one nothing changed. */
  limitCallers(session: NodeSession, limit: CallerLimit): Promise<readonly string[]>
}

/** UFW, which guards every managed Linux Node (FW-026). */
export const ufw: FirewallProgram = {
  read: (session) => session.ask(readState, { root: '' }),
  listening: (session) => session.ask(readListeners, { root: '' }),
  write: (session, writing) => session.ask(writeRules, writing),
  limitCallers: (session, limit) => session.ask(limitCallers, { root: '', ...limit }),
}
