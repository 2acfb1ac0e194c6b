import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { nodeDetail, type NodeRecord } from '#/nodes/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'

/**
 * Runs the work with the loopback upstream of a Process of the Node, which is not removed meanwhile. Throws `process.not_found`,
 * `route.process_conflict` and `route.upstream_unresolved` (RTE-088, RTE-089).
 */
export const withProcessUpstream = <T>(
  deps: Pick<RoutesDeps, 'store' | 'nodes' | 'processes'>,
  call: Call,
  node: NodeRecord,
  processId: number,
  work: (upstream: string) => Promise<T>,
): Promise<T> =>
  holding(deps.store, call, lockOf('process', processId), async () => {
    const process = await deps.processes.find(processId)
    if (!process) throw fail('process.not_found', { details: { process_id: processId } })
    if (process.owner.type !== 'node' || process.node.id !== node.id || process.status !== 'active')
      throw fail('route.process_conflict', {
        details: {
          process_id: processId,
          target_type: process.owner.type,
          status: process.status,
          ...nodeDetail(node),
        },
      })
    const listeners = await deps.processes.listenersOf(deps.nodes.sessions.overTunnel(call, node), process)
    const [listener, another] = listeners
    const ports = listeners.map(({ port }) => port)
    if (listener === undefined || another !== undefined)
      throw fail('route.upstream_unresolved', {
        message:
          listener === undefined
            ? `The Process ${process.name} listens on no TCP port of the loopback address of ${node.name}. Start it, or publish one port of its container.`
            : `The Process ${process.name} listens on several TCP ports of ${node.name}: ${ports.join(', ')}. Name one with --upstream instead.`,
        details: { process_id: processId, ports, ...nodeDetail(node) },
      })
    return work(`http://${listener.host}:${listener.port}`)
  })
