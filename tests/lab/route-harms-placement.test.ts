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

const DOMAINS = ['kept.example', 'shop.dev.test', 'shop.city', 'shop.town'] as const

const tld = (to: string): Change => ({
  name: `a Cluster gets the top-level domain ${to}`,
  words: async () => ['cluster:update', 'city', '--tld', to],
  asks: { domains: ['dev', 'edge'], routes: ['edge', 'dev'], 'private-dns': ['gateway'] },
  builds: ['routes'],
})

const tlds = new Sweep(() => [tld('town'), tld('city')], { share: 7, offset: 0 })
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
