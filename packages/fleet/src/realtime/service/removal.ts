import { fail } from '@fleet/contract'
import type { Command } from '@fleet/shell'
import { identityOf, type Machine } from '#/nodes/api.ts'
import { answered } from '#/realtime/service/commands/answers.ts'
import { removeServer, stopServer } from '#/realtime/service/commands/remove.ts'
import { placesOf, type ServiceParts } from '#/realtime/service/parts.ts'

const STOP_SECONDS = 60

/** Sends the clients away and ends the server. May be repeated. */
export const stopServing = (parts: ServiceParts, machine: Machine): Promise<void> =>
  done(machine, stopServer(placesOf(parts).server), 'stopped')

/** Takes everything of a stopped server away but its certificate. May be repeated. */
export const removeFiles = (parts: ServiceParts, machine: Machine): Promise<void> =>
  done(machine, removeServer(placesOf(parts).server), 'removed')

async function done(machine: Machine, command: Command, field: string): Promise<void> {
  const result = await machine.asRoot(command, { timeoutSeconds: STOP_SECONDS })
  if (answered(machine, result, (answer) => answer.has(field))) return
  throw fail('realtime.write_failed', { details: { node: identityOf(machine.node) } })
}
