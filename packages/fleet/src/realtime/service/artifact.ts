import type { Machine, NodeArtifact } from '#/nodes/api.ts'
import { findServers } from '#/realtime/server.ts'
import { ensureFiles, ensureRunning } from '#/realtime/service/converge.ts'
import { serverFiles, sha256 } from '#/realtime/service/files.ts'
import { placesOf, type ServiceParts } from '#/realtime/service/parts.ts'
import { siteOf } from '#/realtime/service/target.ts'

/** Applied again when program or unit differ in this release of the gateway (NODE-120, NODE-121). */
export const makeServerArtifact = (
  parts: ServiceParts,
  publish: (machine: Machine) => Promise<void>,
): NodeArtifact => ({
  name: 'websocket',
  digest: async (node) => {
    if (!node.activeRoles.includes('websocket')) return undefined
    const { current } = await findServers(parts.holders)
    if (current?.nodeId !== node.id) return undefined
    const executable = await parts.executables.find(node.architecture ?? '')
    if (!executable) return undefined
    // What is stored stays as it is, for the server still is where it was.
    const server = { ...current, ...(await siteOf(parts, node)) }
    return sha256(serverFiles(server, executable.sha256, placesOf(parts)).unit)
  },
  converge: async (machine, how) => {
    const files = await ensureFiles(parts, machine, how)
    await publish(machine)
    const running = await ensureRunning(parts, machine, how)
    return files === 'applied' || running === 'applied' ? 'applied' : 'unchanged'
  },
})
