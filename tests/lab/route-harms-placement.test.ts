import { after, test } from 'node:test'
import { shareFleet } from './installed.ts'
import { type Change, parts, Sweep } from './route-harms.ts'
import type { RouteWorld } from './route-shape.ts'
import { DEV_AND_EDGE, makeCity, worldOf } from './route-town.ts'
import { addShop } from './shop.ts'
import { onHosts } from './site.ts'

const started = shareFleet({
  name: 'rhc',
  nodes: [...DEV_AND_EDGE, { name: 'spare', roles: ['app-prod'], words: ['--tld', 'spare.test'] }],
})

const DOMAINS = ['one.example', 'two.example'] as const

/** Routes enter the Cluster: its Router gets their certificates and sites before a name leads to it. */
const entering: Pick<Change, 'asks' | 'builds'> = {
  asks: { routes: ['edge'], 'private-dns': ['gateway'] },
  builds: ['routes'],
}

/** They leave it: their own Node serves them all the time, and the Router is cleared once nobody is led to it any more. */
const leaving: Pick<Change, 'asks' | 'builds' | 'isSettled'> = {
  asks: { routes: ['gateway'], 'private-dns': ['gateway'] },
  builds: [],
  isSettled: (shape) => !shape.some((line) => line.startsWith('edge: leaf route-')),
}

const activation: Change = {
  ...entering,
  name: 'a Cluster becomes active',
  words: async () => ['cluster:update', 'city', '--state', 'active'],
}

const deactivation: Change = {
  ...leaving,
  name: 'a Cluster becomes inactive',
  words: async () => ['cluster:update', 'city', '--state', 'inactive'],
}

const attachment = ({ fleet }: RouteWorld): Change => ({
  ...entering,
  name: 'a Node joins a Cluster',
  words: async () => ['cluster:node:attach', 'city', fleet.node('dev').name],
})

const detachment = ({ fleet }: RouteWorld): Change => ({
  ...leaving,
  name: 'a Node leaves a Cluster',
  words: async () => ['cluster:node:detach', 'city', fleet.node('dev').name, '--yes'],
})

// A change that only leads names elsewhere asks no Node, so that most of its faults meet nothing.
const states = new Sweep(() => [deactivation, activation], {
  cells: ['record: gateway is killed', 'routes: edge is without a Caddy that accepts a file'],
})
const members = new Sweep((world) => [detachment(world), attachment(world)], {
  cells: ['routes: gateway is without power', 'routes: edge is without power'],
})
let world: RouteWorld | undefined
const closing = new AsyncDisposableStack()
after(() => closing.disposeAsync())

async function prepared(): Promise<RouteWorld> {
  const fleet = started()
  // The repository is there for all parts.
  const context = { after: (close: () => unknown) => closing.defer(() => void close()) }
  await addShop(fleet, context, fleet.node('dev'))
  await makeCity(fleet, ['dev', 'edge', 'spare'], 'edge')
  for (const [name, domain] of [
    ['one', 'one.example'],
    ['two', 'two.example'],
  ] as const)
    await fleet.record('instance:create', 'shop', fleet.node('dev').name, name, '--domain', domain)
  return worldOf(fleet, ['dev', 'edge', 'spare'], { visitor: 'spare', domains: DOMAINS })
}

for (const part of parts)
  test(
    `whatever happens to the gateway or the Router at a step of a Cluster that becomes active or inactive: everything is as before or the identical request finishes it, no domain has two Routes, no name leads to what is not served, and no certificate stays without its site: part ${part} of ${parts.length} [CLU-016]`,
    { ...onHosts, timeout: 1_200_000 },
    async (context) => {
      world ??= await prepared()
      await states.part(world, (line) => context.diagnostic(line))
    },
  )

for (const part of parts)
  test(
    `the same at a step of a Node that joins an active Cluster with its Routes or leaves it: everything is as before or the identical request finishes it, no domain has two Routes, no name leads to what is not served, and no certificate stays without its site: part ${part} of ${parts.length}`,
    { ...onHosts, timeout: 1_200_000 },
    async (context) => {
      world ??= await prepared()
      await members.part(world, (line) => context.diagnostic(line))
    },
  )
