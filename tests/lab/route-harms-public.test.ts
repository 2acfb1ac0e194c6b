import { after, test } from 'node:test'
import { publicName, serveAcme, trustAcme, useAcme } from './acme-server.ts'
import { shareFleet } from './installed.ts'
import { addStore } from './production-site.ts'
import { type Change, parts, Sweep } from './route-harms.ts'
import type { RouteWorld } from './route-shape.ts'
import { idOf, makeCity, worldOf } from './route-town.ts'
import { onHosts } from './site.ts'

const started = shareFleet({
  name: 'rhp',
  nodes: [
    { name: 'dev', roles: ['app-dev'], words: ['--tld', 'dev.test'] },
    { name: 'live', roles: ['app-prod'], words: ['--tld', 'live.test'] },
    { name: 'gate', roles: ['app-prod'], words: ['--tld', 'gate.test'] },
    { name: 'edge', roles: ['app-prod'], words: ['--tld', 'edge.test'] },
  ],
})

const MEMBERS = ['live', 'gate', 'edge', 'dev'] as const
/** The previews of the two production Instances. */
const [ONE, TWO] = ['one.live.test', 'two.gate.test']

const shared: Pick<Change, 'asks' | 'builds'> = {
  asks: {
    runtime: ['gate'],
    'workload-certificate': ['gate'],
    'workload-site': ['gate'],
    'application-url': ['gate'],
    'router-paths': ['edge'],
    'router-pool': ['edge'],
    'vacated-routes': ['edge'],
    'private-dns': ['gateway'],
    'live-certificate': ['gate'],
    release: ['gate'],
    'old-certificates': ['gate'],
  },
  builds: ['workload-site', 'router-pool', 'vacated-routes', 'release'],
}

const widening = (world: RouteWorld): Change => ({
  ...shared,
  name: 'a pool gets the Instance of another Route',
  words: async () => {
    const [one, two] = [await instance(world, 'one'), await instance(world, 'two')]
    return ['route:target:set', await idOf(world, 'route', 'domain', ONE), '--targets', one, '--targets', two]
  },
})

const narrowing = (world: RouteWorld): Change => ({
  ...shared,
  name: 'a pool gives an Instance to another Route',
  words: async () => {
    const [one, two] = [await instance(world, 'one'), await instance(world, 'two')]
    const [from, to] = [await idOf(world, 'route', 'domain', ONE), await idOf(world, 'route', 'domain', TWO)]
    return ['route:target:set', from, '--targets', one, '--reassign', `${two}:${to}`]
  },
})

const instance = (world: RouteWorld, name: string): Promise<string> => idOf(world, 'instance', 'name', name)

const publication = (world: RouteWorld): Change => ({
  name: 'a publication',
  words: async () => ['route:update', await idOf(world, 'route', 'domain', ONE), '--publication', 'public'],
  asks: { 'private-paths': ['edge', 'gate'], 'public-site': ['gate'], 'public-firewall': ['gate'] },
  builds: ['public-site'],
})

const seclusion = (world: RouteWorld): Change => ({
  name: 'a publication is taken back',
  words: async () => ['route:update', await idOf(world, 'route', 'domain', ONE), '--publication', 'private'],
  asks: { 'public-withdrawn': ['gate'] },
  builds: ['public-withdrawn'],
})

const pools = new Sweep((world) => [widening(world), narrowing(world)], { share: 29, offset: 0 })
const publications = new Sweep((world) => [publication(world), seclusion(world)], { share: 9, offset: 0 })
let world: RouteWorld | undefined
const closing = new AsyncDisposableStack()
after(() => closing.disposeAsync())

async function prepared(): Promise<RouteWorld> {
  const fleet = started()
  // The repository is there for all parts.
  const context = { after: (close: () => unknown) => closing.defer(() => void close()) }
  const outside = await fleet.blank({ name: 'outside', roles: ['app-prod'] })
  await useAcme(fleet, await serveAcme(outside))
  await trustAcme(outside, outside, ...MEMBERS.map(fleet.node))
  await publicName(outside, fleet.node('gate').address, ONE)
  await addStore(fleet, context, ...MEMBERS.map(fleet.node))
  await makeCity(fleet, MEMBERS, 'edge')
  await fleet.record('node:role:add', fleet.node('gate').name, 'ingress')
  await fleet.record('instance:create', 'store', fleet.node('dev').name, 'default')
  for (const [name, on] of [
    ['one', 'live'],
    ['two', 'gate'],
  ] as const) {
    const clone = [
      'instance:clone',
      'store/default',
      fleet.node(on).name,
      name,
      '--preview-name',
      name,
    ] as const
    await fleet.record(...clone)
    await fleet.gateway.host.run(['fleet', 'instance:deploy', `store/${name}`])
  }
  return worldOf(fleet, MEMBERS, { visitor: 'dev', domains: [ONE, TWO] })
}

for (const part of parts)
  test(
    `whatever happens to the gateway, a Node or the Router at a step of a Route that gets another set of targets: everything is as before or the identical request finishes it, no domain has two Routes, no name leads to what is not served, and no certificate stays without its site: part ${part} of ${parts.length} [RTE-112]`,
    { ...onHosts, timeout: 1_200_000 },
    async (context) => {
      world ??= await prepared()
      await pools.part(world, (line) => context.diagnostic(line))
    },
  )

for (const part of parts)
  test(
    `the same to the ingress, too, at a step of a Route that is published or private again: everything is as before or the identical request finishes it, no domain has two Routes, no name leads to what is not served, and no certificate stays without its site: part ${part} of ${parts.length}`,
    { ...onHosts, timeout: 1_200_000 },
    async (context) => {
      world ??= await prepared()
      await publications.part(world, (line) => context.diagnostic(line))
    },
  )
