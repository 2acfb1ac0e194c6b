import { type Catalog, catalogText } from '@fleet/dns'
import { CodedError } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import type { ClusterRecord } from '#/clusters/api.ts'
import { catalogOf, type NameSources } from '#/dns/catalog.ts'
import type { DnsDeps } from '#/dns/deps.ts'
import { holderOf } from '#/dns/rules.ts'
import { publishCatalog } from '#/dns/service/publish.ts'
import { readSources, withCluster, withoutNode } from '#/dns/sources.ts'
import { fleetLock, holding } from '#/locks/api.ts'
import { sha256 } from '#/managed-services/api.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'

type Published = 'changed' | 'unchanged'

/** Publishes the names of the records, or of the records with one Cluster as given. Nothing to do without a `vpn` Node. */
export const publishNames = (deps: DnsDeps, call: Call, cluster?: ClusterRecord): Promise<Published> =>
  projecting(deps, call, async () => {
    const sources = await readSources(deps)
    if (!sources) return 'unchanged'
    return publishFrom(deps, call, cluster ? withCluster(sources, cluster) : sources)
  })

/** Publishes as if the Node were gone; the number of names that are answered no more. */
export const publishWithout = (deps: DnsDeps, call: Call, node: NodeRecord): Promise<number> =>
  projecting(deps, call, async () => {
    const sources = await readSources(deps, node.id)
    if (!sources) return 0
    const rest = withoutNode(sources, node.id)
    await publishFrom(deps, call, rest)
    return namesLost(catalogOf(sources), catalogOf(rest))
  })

/** Publishes to a Node that is about to answer, whoever does so now. */
export const publishOn = (deps: DnsDeps, session: NodeSession): Promise<void> =>
  projecting(deps, session.call, async () => {
    const sources = await readSources(deps)
    if (sources) await send(deps, session, catalogOf(sources))
  })

/** One at a time in the fleet, with the records as they are then (RTE-184). Throws `app-dev.projection_busy`. */
export const projecting = <T>(deps: DnsDeps, call: Call, work: () => Promise<T>): Promise<T> =>
  holding(deps.store, call, fleetLock('names'), work)

async function publishFrom(deps: DnsDeps, call: Call, sources: NameSources): Promise<Published> {
  const holder = holderOf(sources.nodes, 'vpn')
  const node = holder && (await deps.nodes.find(holder.id))
  if (!holder || !node) return 'unchanged'
  try {
    return await send(deps, deps.nodes.sessions.overTunnel(call, node), catalogOf(sources))
  } catch (error) {
    if (!isBeingMade(error, holder)) throw error
    return 'unchanged'
  }
}

/** Its role's own convergence installs the listener, and publishes then. */
const isBeingMade = (error: unknown, { roles }: Pick<NameSources['nodes'][number], 'roles'>): boolean =>
  error instanceof CodedError &&
  error.code === 'dns.not_installed' &&
  roles.some(({ role, status }) => role === 'vpn' && status === 'provisioning')

function send({ root = '' }: DnsDeps, session: NodeSession, catalog: Catalog): Promise<Published> {
  const text = catalogText(catalog)
  return session.ask(publishCatalog, { text, sha256: sha256(text), root })
}

const namesLost = (before: Catalog, after: Catalog): number => {
  const left = new Set([...Object.keys(after.records), ...Object.keys(after.suffixes)])
  const names = [...Object.keys(before.records), ...Object.keys(before.suffixes)]
  return names.filter((name) => !left.has(name)).length
}
