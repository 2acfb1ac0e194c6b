import { stopService, removeService } from '#/managed-services/api.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { findServers } from '#/realtime/server.ts'
import { accountOf, type WebsocketDeps } from '#/realtime/service/deps.ts'
import { websocketPlaces } from '#/realtime/service/server.ts'

/** As long as a resolver may keep an answer of the private DNS (RTX-106). */
const NAME_MILLISECONDS = 30_000

/**
 * Sends the clients away and ends the server. Where another Node serves by now, it first continues until no resolver names
 * this one any more: both receive every event until then, and whoever is sent away finds the other (LIM-004). May be
 * repeated.
 */
export async function stopServing(deps: WebsocketDeps, node: NodeSession): Promise<void> {
  const { current } = await findServers(deps.holders)
  if (current && current.nodeId !== node.node.id) await deps.clock.sleep(NAME_MILLISECONDS, node.call.signal)
  await stopService(deps, node, websocketPlaces(accountOf(deps)))
}

/** Takes everything of a stopped server away but its certificate. May be repeated. */
export const removeFiles = async (deps: WebsocketDeps, node: NodeSession): Promise<void> =>
  void (await removeService(deps, node, websocketPlaces(accountOf(deps))))
