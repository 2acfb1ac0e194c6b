import { after, test } from 'node:test'
import { shareFleet } from './installed.ts'
import { type Change, parts, Sweep } from './route-harms.ts'
import type { RouteWorld } from './route-shape.ts'
import { DEV_AND_EDGE, makeCity, worldOf } from './route-town.ts'
import { addShop } from './shop.ts'
import { onHosts } from './site.ts'

const started = shareFleet({
  name: 'rhr',
  nodes: [...DEV_AND_EDGE, { name: 'spare', roles: ['app-prod'], words: ['--tld', 'spare.test'] }],
})

const DOMAINS = ['kept.example', 'shop.city', 'shop.town'] as const

/** The Node with the Routes becomes their Router, which reaches them through a socket, or the other one again. */
const router = ({ fleet }: RouteWorld, to: string, from: string): Change => ({
  name: `${to} becomes the Router`,
  words: async () => ['cluster:router:set', 'city', fleet.node(to).name],
  asks: {
    capable: [to],
    'role:certificates': [to, from],
    'role:workloads': ['dev'],
    'role:web-server': [to, from],
    'private-dns': ['gateway'],
    [`capable:${fleet.node(from).name}`]: [from],
  },
  builds: ['role:web-server'],
  leavesNodes: true,
})

/** The Routes with a generated domain are replaced; what follows only leads names elsewhere. */
const tld = (to: string): Change => ({
  name: `a Cluster gets the top-level domain ${to}`,
  words: async () => ['cluster:update', 'city', '--tld', to],
  asks: {
    'workload-certificate': ['dev'],
    'workload-site': ['dev'],
    'router-certificate': ['edge'],
    'router-site': ['edge'],
    'application-url': ['dev'],
    'private-dns': ['gateway'],
    'withdraw-names': ['gateway'],
    'live-certificate': ['dev'],
    rebuild: ['edge', 'dev'],
    'old-certificates': ['edge', 'dev'],
  },
  builds: ['workload-site', 'router-site', 'rebuild'],
})

const routers = new Sweep((world) => [router(world, 'dev', 'edge'), router(world, 'edge', 'dev')], {
  cells: [
    'role:workloads: dev is cut off',
    'role:web-server: dev is without a Caddy that accepts a file',
    'switch: gateway is killed',
  ],
})
const tlds = new Sweep(() => [tld('town'), tld('city')], {
  cells: ['router-site: edge is cut off', 'cutover: gateway is killed'],
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
  const create = (...words: readonly string[]) =>
    fleet.record('instance:create', 'shop', fleet.node('dev').name, ...words)
  await create('default')
  await create('kept', '--domain', 'kept.example')
  return worldOf(fleet, ['dev', 'edge', 'spare'], { visitor: 'spare', domains: DOMAINS })
}

for (const part of parts)
  test(
    `whatever happens to the gateway, a Node or a Router at a step of a Cluster that gets another top-level domain: everything is as before or the identical request finishes it, no domain has two Routes, no name leads to what is not served, and no certificate stays without its site: part ${part} of ${parts.length}`,
    { ...onHosts, timeout: 1_200_000 },
    async (context) => {
      world ??= await prepared()
      await tlds.part(world, (line) => context.diagnostic(line))
    },
  )

for (const part of parts)
  test(
    `the same at a step of a Cluster that gets another Router: everything is as before or the identical request finishes it, no domain has two Routes, no name leads to what is not served, and no certificate stays without its site: part ${part} of ${parts.length}`,
    { ...onHosts, timeout: 1_200_000 },
    async (context) => {
      world ??= await prepared()
      await routers.part(world, (line) => context.diagnostic(line))
    },
  )
