import { type Caller, type Nodes, startWorkRunner, type WorkRunner } from '@fleet/fleet'
import type { Assembled, WorkOverrides } from '../assemble.ts'

/** Takes the work without a request that is due in this fleet. */
export function startWork(assembled: Assembled, { kinds, ...overrides }: WorkOverrides = {}): WorkRunner {
  const { services, store, executor, clock, log, closing } = assembled
  return startWorkRunner({
    ...overrides,
    store,
    executor,
    clock,
    log,
    journal: services.journal,
    closing: closing.signal,
    kinds: [...services.workKinds, ...(kinds?.(assembled) ?? [])],
    findCaller: (nodeId) => findCaller(services.nodes, nodeId),
  })
}

/** The same rule as for requests: a Node that is not active has no identity (GW-005). */
async function findCaller(nodes: Nodes, nodeId: number): Promise<Caller | undefined> {
  const address = (await nodes.find(nodeId))?.wireguard_ip
  const caller = address ? await nodes.findCaller(address) : undefined
  if (caller?.status !== 'active' || !address) return undefined
  return { id: caller.id, name: caller.name, address, isGateway: caller.isGateway }
}
