import type { NodeSession, NodeArtifact } from '#/nodes/api.ts'
import { findServers } from '#/realtime/server.ts'
import { ensureFiles, ensureRunning } from '#/realtime/service/converge.ts'
import { accountOf, type WebsocketDeps } from '#/realtime/service/deps.ts'
import { websocketService } from '#/realtime/service/server.ts'
import { endpointOf } from '#/realtime/service/target.ts'

/** Applied again when program or unit differ in this release of the gateway (NODE-120, NODE-121). */
export const makeServerArtifact = (
  deps: WebsocketDeps,
  publish: (session: NodeSession) => Promise<void>,
): NodeArtifact => ({
  name: 'websocket',
  digest: async (node) => {
    if (!node.activeRoles.includes('websocket')) return undefined
    const { current } = await findServers(deps.holders)
    if (current?.nodeId !== node.id) return undefined
    const executable = await deps.executables.find(node.architecture ?? '')
    if (!executable) return undefined
    // What is stored stays as it is, for the server still is where it was.
    const { websocketOrigins: origins } = deps
    const server = { ...current, ...(await endpointOf(deps, node)), origins }
    return websocketService(accountOf(deps), server).renderFor(executable.sha256).digest
  },
  converge: async (session, how) => {
    const files = await ensureFiles(deps, session, how)
    await publish(session)
    const running = await ensureRunning(deps, session, how)
    return files === 'applied' || running === 'applied' ? 'applied' : 'unchanged'
  },
})
