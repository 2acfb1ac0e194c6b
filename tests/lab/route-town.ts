import type { Host } from '../../lab/index.ts'
import { tunnelAddress } from './facts.ts'
import type { InstalledFleet, WantedNode } from './installed.ts'
import type { RouteWorld } from './route-shape.ts'

/** A Node for development, and one that is the Router of its Cluster. */
export const DEV_AND_EDGE: readonly WantedNode[] = [
  { name: 'dev', roles: ['app-dev'], words: ['--tld', 'dev.test'] },
  { name: 'edge', roles: ['app-prod'], words: ['--tld', 'edge.test'] },
]

/** The active Cluster `city` of these Nodes, with a Router. */
export async function makeCity(
  { record, node }: InstalledFleet,
  nodes: readonly string[],
  router: string,
): Promise<void> {
  await record('cluster:create', 'city', 'city')
  for (const name of nodes) await record('cluster:node:attach', 'city', node(name).name)
  await record('cluster:router:set', 'city', node(router).name)
  await record('cluster:update', 'city', '--state', 'active')
}

/** The fleet as a world whose hosts may be harmed; what was prepared there survives the loss of their power. */
export async function worldOf(
  fleet: InstalledFleet,
  nodes: readonly string[],
  { visitor, domains }: { readonly visitor: string; readonly domains: readonly string[] },
): Promise<RouteWorld> {
  const named = nodes.map((name): [string, Host] => [name, fleet.node(name)])
  const hosts = new Map([...named, ['gateway', fleet.gateway.host] as const])
  for (const host of hosts.values()) await host.run(['sync'])
  return {
    fleet,
    hosts,
    visitor: fleet.node(visitor),
    dns: await tunnelAddress(fleet, 'gateway'),
    domains,
  }
}

/** Id of the record of a list whose member is this. */
export async function idOf(
  { fleet }: Pick<RouteWorld, 'fleet'>,
  noun: 'route' | 'instance',
  member: string,
  value: string,
): Promise<string> {
  const row = (await fleet.records(`${noun}:list`)).find((one) => one[member] === value)
  if (!row) throw new Error(`there is no ${noun} ${value}`)
  return String(row['id'])
}
