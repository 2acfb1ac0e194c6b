import { clockApart } from '@fleet/kernel'
import { judgeServed } from '#/certificates/api.ts'
import { reportUnit } from '#/managed-services/api.ts'
import { driven, type FamilyChecks } from '#/nodes/api.ts'
import { findServers } from '#/realtime/server.ts'
import type { WebsocketDeps } from '#/realtime/service/deps.ts'
import { SERVER_UNIT } from '#/realtime/service/server.ts'

/**
 * What Doctor asks the server itself: its certificate by a handshake, since a process may serve what it loaded long ago,
 * and whether it takes a signed request of the gateway.
 */
export const makeServerChecks = ({ holders, certificates, probe }: WebsocketDeps): FamilyChecks => ({
  family: 'role',
  checksOf: async (_call, { id }) => {
    const { current } = await findServers(holders)
    const held = (await holders.of('websocket')).find(({ node }) => node.id === id)
    if (!current || current.nodeId !== id || !held) return []
    const resource = { type: 'role', id: held.id, name: 'websocket' }
    return [
      driven('role.certificate_mismatch', resource, async () => {
        const { address, port, host: name } = current
        return judgeServed(await certificates.inspectServed({ address, port, name, isForAddress: true }))
      }),
      driven('role.services_inactive', resource, async (session) => {
        const { isTaken, clockAheadSeconds: ahead } = await probe.ask(current)
        if (isTaken) return undefined
        if (ahead !== undefined)
          return { expected: 'the time of the gateway', observed: `a clock ${clockApart(ahead)}` }
        const service = await session.ask(reportUnit, SERVER_UNIT)
        return { expected: 'running', observed: 'no answer', service }
      }),
    ]
  },
})
