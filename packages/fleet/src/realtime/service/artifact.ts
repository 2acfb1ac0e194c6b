import type { Machine, NodeArtifact, NodeRecord } from '#/nodes/api.ts'
import { ensureFiles, ensureRunning } from '#/realtime/service/converge.ts'
import { serverFiles, sha256 } from '#/realtime/service/files.ts'
import { placesOf, type ServiceParts } from '#/realtime/service/parts.ts'
import { serverOf } from '#/realtime/service/target.ts'

/** Applied again when program or unit differ in this release of the gateway (NODE-120, NODE-121). */
export const makeServerArtifact = (
  parts: ServiceParts,
  publish: (machine: Machine) => Promise<void>,
): NodeArtifact => ({
  name: 'websocket',
  digest: async (node) => {
    if (!serves(node)) return undefined
    const executable = await parts.executables.find(node.architecture ?? '')
    if (!executable) return undefined
    return sha256(serverFiles(await serverOf(parts, node), executable.sha256, placesOf(parts)).unit)
  },
  converge: async (machine, how) => {
    const files = await ensureFiles(parts, machine, how)
    await publish(machine)
    const running = await ensureRunning(parts, machine, how)
    return files === 'applied' || running === 'applied' ? 'applied' : 'unchanged'
  },
})

const serves = (node: NodeRecord): boolean =>
  node.wireguard_ip !== null && node.activeRoles.includes('websocket')
