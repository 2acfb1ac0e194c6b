import { fail } from '@fleet/contract'
import type { Command } from '@fleet/shell'
import { identityOf, type Machine } from '#/nodes/api.ts'
import { findServers } from '#/realtime/server.ts'
import { answered } from '#/realtime/service/commands/answers.ts'
import { removeServer, stopServer } from '#/realtime/service/commands/remove.ts'
import { placesOf, type ServiceParts } from '#/realtime/service/parts.ts'

const STOP_SECONDS = 60

/** As long as a resolver may keep an answer of the private DNS (RTX-106). */
const NAME_MILLISECONDS = 30_000

/**
 * Sends the clients away and ends the server. Where another Node serves by now, it first goes on until nobody's resolver
 * names this one any more: both are told every event until then, and whoever is sent away finds the other (LIM-004). May be
 * repeated.
 */
export async function stopServing(parts: ServiceParts, machine: Machine): Promise<void> {
  const { current } = await findServers(parts.holders)
  if (current && current.nodeId !== machine.node.id)
    await parts.clock.sleep(NAME_MILLISECONDS, machine.call.signal)
  await done(machine, stopServer(placesOf(parts).server), 'stopped')
}

/** Takes everything of a stopped server away but its certificate. May be repeated. */
export const removeFiles = (parts: ServiceParts, machine: Machine): Promise<void> =>
  done(machine, removeServer(placesOf(parts).server), 'removed')

async function done(machine: Machine, command: Command, field: string): Promise<void> {
  const result = await machine.asRoot(command, { timeoutSeconds: STOP_SECONDS })
  if (answered(machine, result, (answer) => answer.has(field))) return
  throw fail('realtime.write_failed', { details: { node: identityOf(machine.node) } })
}
