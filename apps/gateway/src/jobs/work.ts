import { type Caller, type Nodes, startWorkRunner, type WorkKind, type WorkRunner } from '@fleet/fleet'
import type { Assembled } from '../assemble.ts'

/** Takes the work without a request that is due in this fleet. `more` is what a test adds. */
export const startWork = (
  { services, store, executor, clock, log, closing }: Assembled,
  more: readonly WorkKind[] = [],
): WorkRunner =>
  startWorkRunner({
    store,
    executor,
    clock,
    log,
    journal: services.journal,
    closing: closing.signal,
    kinds: [...services.workKinds, ...more],
    findCaller: (nodeId) => findCaller(services.nodes, nodeId),
  })

/** The same rule as for requests: a Node that is not active has no identity (GW-005). */
async function findCaller(nodes: Nodes, nodeId: number): Promise<Caller | undefined> {
  const address = (await nodes.find(nodeId))?.wireguard_ip
  const caller = address ? await nodes.findCaller(address) : undefined
  if (caller?.status !== 'active' || !address) return undefined
  return { id: caller.id, name: caller.name, address, isGateway: caller.isGateway }
}
