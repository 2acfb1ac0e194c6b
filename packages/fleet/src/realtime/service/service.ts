import { lockOf } from '#/locks/api.ts'
import type { FamilyChecks, NodeSession, NodeArtifact, RoleStep } from '#/nodes/api.ts'
import { makeServerArtifact } from '#/realtime/service/artifact.ts'
import { makeServerChecks } from '#/realtime/service/checks.ts'
import { findServers } from '#/realtime/server.ts'
import { ensureFiles, ensureRunning, requireAnswer } from '#/realtime/service/converge.ts'
import type { WebsocketDeps } from '#/realtime/service/deps.ts'
import { SERVER_SCOPE } from '#/realtime/service/server.ts'
import { removeFiles, stopServing } from '#/realtime/service/removal.ts'
import { leafOf, endpointOf } from '#/realtime/service/target.ts'
import type { LeafSource } from '#/certificates/api.ts'

export type { WebsocketDeps } from '#/realtime/service/deps.ts'
export type { ServerProbe } from '#/realtime/service/ports.ts'

/** The WebSocket server on the Node with the role. */
export interface WebsocketService {
  /** Throws `node.capability_missing` for a gateway without a private network. */
  requireCapable(session: Pick<NodeSession, 'node'>): Promise<void>
  /** Each may be repeated. They throw `realtime.*`, `certificate.*`, `cli.*` and the codes of NodeSession. */
  readonly convergence: readonly RoleStep[]
  readonly removal: readonly RoleStep[]
  /** Part of the footprint of the Node with the role. */
  readonly artifact: NodeArtifact
  /** Its part of the family `role`. */
  readonly checks: FamilyChecks
  /** The certificate of the server, as long as its role is active. */
  readonly leaves: LeafSource
}

export function makeWebsocketService(deps: WebsocketDeps): WebsocketService {
  const { certificates } = deps
  const keep = { force: false }
  const publish = async (session: NodeSession): Promise<void> => {
    await certificates.publishLeaf(session, leafOf(deps, await endpointOf(deps, session.node)))
  }
  return {
    requireCapable: async ({ node }) => void (await endpointOf(deps, node)),
    convergence: [
      { name: 'files', run: async (session) => void (await ensureFiles(deps, session, keep)) },
      // After the account that reads it, before the server that does.
      { name: 'certificate', run: publish },
      { name: 'server', run: async (session) => void (await ensureRunning(deps, session, keep)) },
      { name: 'answer', run: (session) => requireAnswer(deps, session) },
    ],
    removal: [
      { name: 'server', run: (session) => stopServing(deps, session) },
      {
        name: 'certificate',
        run: async (session) => certificates.withdrawLeaf(session, { scope: SERVER_SCOPE }),
      },
      { name: 'files', run: (session) => removeFiles(deps, session) },
    ],
    artifact: makeServerArtifact(deps, publish),
    checks: makeServerChecks(deps),
    leaves: {
      leaves: async () => {
        const { current } = await findServers(deps.holders)
        if (!current) return []
        const { nodeId } = current
        return [
          { nodeId, lock: lockOf('nodeRoles', nodeId, { waitSeconds: 0 }), leaf: leafOf(deps, current) },
        ]
      },
    },
  }
}
