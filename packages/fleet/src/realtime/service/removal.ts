import { stopService, removeService } from '#/managed-services/api.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { findServers } from '#/realtime/server.ts'
import { accountOf, type WebsocketParts } from '#/realtime/service/parts.ts'
import { websocketPlaces } from '#/realtime/service/server.ts'

/** As long as a resolver may keep an answer of the private DNS (RTX-106). */
const NAME_MILLISECONDS = 30_000

/**
 * Sends the clients away and ends the server. Where another Node serves by now, it first continues until no resolver names
 * this one any more: both receive every event until then, and whoever is sent away finds the other (LIM-004). May be
 * repeated.
 */
export async function stopServing(parts: WebsocketParts, node: NodeSession): Promise<void> {
  const { current } = await findServers(parts.holders)
  if (current && current.nodeId !== node.node.id) await parts.clock.sleep(NAME_MILLISECONDS, node.call.signal)
  await stopService(parts, node, websocketPlaces(accountOf(parts)))
}

/** Takes everything of a stopped server away but its certificate. May be repeated. */
export const removeFiles = async (parts: WebsocketParts, node: NodeSession): Promise<void> =>
  void (await removeService(parts, node, websocketPlaces(accountOf(parts))))
