import { after, test } from 'node:test'
import { shareFleet } from './installed.ts'
import { type Change, parts, Sweep } from './route-harms.ts'
import type { RouteWorld } from './route-shape.ts'
import { DEV_AND_EDGE, idOf, makeCity, worldOf } from './route-town.ts'
import { addShop } from './shop.ts'
import { onHosts } from './site.ts'

const started = shareFleet({ name: 'rhi', nodes: DEV_AND_EDGE })

const [KEPT, OLD, NEW, EXTRA] = ['kept.example', 'old.example', 'new.example', 'extra.example']

const creation = (world: RouteWorld): Change => ({
  name: 'a creation',
  words: async () => ['instance:create', 'shop', world.fleet.node('dev').name, 'extra', '--domain', EXTRA],
  asks: {
    'source-access': ['dev'],
    php: ['dev'],
    certificate: ['dev', 'edge'],
    caddy: ['dev', 'edge'],
    dns: ['gateway'],
  },
  builds: ['caddy'],
})

const removal = (world: RouteWorld): Change => ({
  name: 'a removal',
  words: async () => ['instance:destroy', await idOf(world, 'instance', 'domain', EXTRA), '--yes', '--force'],
  asks: {
    retire: ['dev'],
    dns: ['gateway'],
    caddy: ['edge', 'dev'],
    php: ['dev'],
    certificate: ['edge', 'dev'],
  },
  builds: ['retire', 'caddy'],
})

const replacement = (world: RouteWorld, from: string, to: string): Change => ({
  name: `a replacement by ${to}`,
  words: async () => ['route:update', await idOf(world, 'route', 'domain', from), '--domain', to],
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

const lives = new Sweep((world) => [creation(world), removal(world)], { share: 17, offset: 0 })
const domains = new Sweep((world) => [replacement(world, OLD, NEW), replacement(world, NEW, OLD)], {
  share: 31,
  offset: 0,
})
let world: RouteWorld | undefined
const closing = new AsyncDisposableStack()
after(() => closing.disposeAsync())

async function prepared(): Promise<RouteWorld> {
  const fleet = started()
  // The repository is there for all parts.
  const context = { after: (close: () => unknown) => closing.defer(() => void close()) }
  await addShop(fleet, context, fleet.node('dev'))
  await makeCity(fleet, ['dev', 'edge'], 'edge')
  const create = (name: string, domain: string) =>
    fleet.record('instance:create', 'shop', fleet.node('dev').name, name, '--domain', domain)
  await create('kept', KEPT)
  await create('moving', OLD)
  return worldOf(fleet, ['dev', 'edge'], { visitor: 'edge', domains: [KEPT, OLD, NEW, EXTRA] })
}

for (const part of parts)
  test(
    `whatever happens to the gateway, a Node or a Router at a step of an Instance that is created or removed: everything is as before or the identical request finishes it, no domain has two Routes, no name leads to what is not served, and no certificate stays without its site: part ${part} of ${parts.length} [RTX-092, RTX-095]`,
    { ...onHosts, timeout: 1_200_000 },
    async (context) => {
      world ??= await prepared()
      await lives.part(world, (line) => context.diagnostic(line))
    },
  )

for (const part of parts)
  test(
    `the same at a step of a Route that gets another domain: everything is as before or the identical request finishes it, no domain has two Routes, no name leads to what is not served, and no certificate stays without its site: part ${part} of ${parts.length} [RTX-028]`,
    { ...onHosts, timeout: 1_200_000 },
    async (context) => {
      world ??= await prepared()
      await domains.part(world, (line) => context.diagnostic(line))
    },
  )
