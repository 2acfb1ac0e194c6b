import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { makeAllocate } from '#/network/allocate.ts'
import { makeNetworkChecks } from '#/network/checks/make.ts'
import { setResolver } from '#/network/commands/resolver.ts'
import { makeJoin } from '#/network/join.ts'
import type { Network } from '#/network/network.ts'
import { endLeave, findLeaving, noteBack, noteLeaving, publishPeers } from '#/network/publish.ts'
import { repairDns } from '#/network/repair-dns.ts'
import { applyResolver } from '#/network/resolver.ts'
import { NO_RESOLVER } from '#/network/resolver-plan.ts'
import { configureNetwork, findSettings, requireSettings } from '#/network/settings.ts'
import type { Nodes } from '#/nodes/api.ts'
import type { Tunnel } from '#/network/tunnel.ts'

export interface NetworkDeps {
  readonly store: Store
  readonly clock: Clock
  readonly nodes: Nodes
  /** Parts of the range that no Node gets; that of task VMs when absent. */
  readonly reservedRanges?: readonly string[]
  /** Root folder of every machine; for tests on this one. */
  readonly root?: string
}

/** Where task VMs live in the default range (SET-028). */
const TASK_VMS = '10.44.0.128/25'

/** The private network of an installed gateway. */
export function makeNetwork(given: NetworkDeps): Network {
  const deps = { ...given, reservedRanges: given.reservedRanges ?? [TASK_VMS], root: given.root ?? '' }
  return {
    tunnel: makeTunnel(deps),
    configure: (settings) => configureNetwork(deps.store, settings),
    leaving: () => findLeaving(deps.store),
    settings: () => findSettings(deps.store),
    repairDns: (call, name) => repairDns(deps, call, name),
    checks: makeNetworkChecks(deps),
  }
}

const makeTunnel = (deps: Required<NetworkDeps>): Tunnel => ({
  requireConfigured: async () => void (await requireSettings(deps.store)),
  allocate: makeAllocate(deps),
  join: makeJoin(deps),
  publish: (call) => publishPeers(deps, call),
  leave: async (call, { id }) => {
    await noteLeaving(deps.store, id)
    return publishPeers(deps, call)
  },
  rejoin: async (call, { id }) => {
    await noteBack(deps.store, id)
    await publishPeers(deps, call)
  },
  endLeave: (tx, { id }) => endLeave(tx, id),
  releaseResolver: async (session) =>
    void (await session.ask(setResolver, { root: deps.root, plan: NO_RESOLVER })),
  applyResolver: (machine, managed, options) => applyResolver(deps, machine, managed, options),
})
