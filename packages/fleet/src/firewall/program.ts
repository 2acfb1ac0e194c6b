import { fail } from '@fleet/contract'
import { type Command, MalformedOutput } from '@fleet/shell'
import { readState } from '#/firewall/commands/read-state.ts'
import { type Writing, writeRules } from '#/firewall/commands/write-rules.ts'
import { type FirewallState, readAnswer, type WriteRefusal } from '#/firewall/ufw/state.ts'
import type { Machine } from '#/nodes/api.ts'

/** The firewall program of machines. Both throw `node.command_failed` when it broke, and what Machine throws. */
export interface FirewallProgram {
  read(machine: Machine): Promise<FirewallState>
  /** The state afterwards, or why nothing changed. */
  write(machine: Machine, writing: Writing): Promise<FirewallState | { readonly refused: WriteRefusal }>
}

const SECONDS = 120

/** UFW, which guards every managed Linux Node (FW-026). */
export const ufw: FirewallProgram = {
  read: async (machine) => {
    const answer = await ask(machine, readState())
    if ('refused' in answer) throw broken(machine)
    return answer
  },
  write: (machine, writing) => ask(machine, writeRules(writing)),
}

async function ask(machine: Machine, command: Command): Promise<ReturnType<typeof readAnswer>> {
  const { exitCode, stdout } = await machine.asRoot(command, { timeoutSeconds: SECONDS })
  if (exitCode !== 0) throw broken(machine)
  try {
    return readAnswer(stdout)
  } catch (error) {
    if (error instanceof MalformedOutput) throw broken(machine, error)
    throw error
  }
}

const broken = ({ node: { id, name } }: Machine, cause?: MalformedOutput): Error =>
  fail('node.command_failed', { details: { node: { id, name }, reason: 'firewall' }, cause })
