import { lockOf } from '#/locks/api.ts'
import type { FamilyChecks, Machine, NodeArtifact, RoleStep } from '#/nodes/api.ts'
import { makeServerArtifact } from '#/realtime/service/artifact.ts'
import { makeServerChecks } from '#/realtime/service/checks.ts'
import { findServers } from '#/realtime/server.ts'
import { ensureFiles, ensureRunning, requireAnswer } from '#/realtime/service/converge.ts'
import type { WebsocketParts } from '#/realtime/service/parts.ts'
import { SERVER_SCOPE } from '#/realtime/service/server.ts'
import { removeFiles, stopServing } from '#/realtime/service/removal.ts'
import { leafOf, endpointOf } from '#/realtime/service/target.ts'
import type { LeafSource } from '#/certificates/api.ts'

export type { WebsocketParts } from '#/realtime/service/parts.ts'
export type { ServerProbe } from '#/realtime/service/ports.ts'

/** The WebSocket server on the Node with the role. */
export interface WebsocketService {
  /** Throws `node.capability_missing` for a gateway without a private network. */
  requireCapable(machine: Pick<Machine, 'node'>): Promise<void>
  /** Each may be repeated. They throw `realtime.*`, `certificate.*`, `cli.*` and the codes of Machine. */
  readonly convergence: readonly RoleStep[]
  readonly removal: readonly RoleStep[]
  /** Part of the footprint of the Node with the role. */
  readonly artifact: NodeArtifact
  /** Its part of the family `role`. */
  readonly checks: FamilyChecks
  /** The certificate of the server, as long as its role is active. */
  readonly leaves: LeafSource
}

export function makeWebsocketService(parts: WebsocketParts): WebsocketService {
  const { certificates } = parts
  const keep = { force: false }
  const publish = async (machine: Machine): Promise<void> => {
    await certificates.publishLeaf(machine, leafOf(parts, await endpointOf(parts, machine.node)))
  }
  return {
    requireCapable: async ({ node }) => void (await endpointOf(parts, node)),
    convergence: [
      { name: 'files', run: async (machine) => void (await ensureFiles(parts, machine, keep)) },
      // After the account that reads it, before the server that does.
      { name: 'certificate', run: publish },
      { name: 'server', run: async (machine) => void (await ensureRunning(parts, machine, keep)) },
      { name: 'answer', run: (machine) => requireAnswer(parts, machine) },
    ],
    removal: [
      { name: 'server', run: (machine) => stopServing(parts, machine) },
      {
        name: 'certificate',
        run: async (machine) => certificates.withdrawLeaf(machine, { scope: SERVER_SCOPE }),
      },
      { name: 'files', run: (machine) => removeFiles(parts, machine) },
    ],
    artifact: makeServerArtifact(parts, publish),
    checks: makeServerChecks(parts),
    leaves: {
      leaves: async () => {
        const { current } = await findServers(parts.holders)
        if (!current) return []
        const { nodeId } = current
        return [
          { nodeId, lock: lockOf('nodeRoles', nodeId, { waitSeconds: 0 }), leaf: leafOf(parts, current) },
        ]
      },
    },
  }
}
