import { createHash } from 'node:crypto'
import { existsSync, type FSWatcher, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { type Catalog, parseCatalog } from '@fleet/dns'
import type { Store } from '@fleet/store'
import {
  addNode,
  type FakeExecutable,
  fakeExecutables,
  type FakeSystemd,
  type LocalPool,
  openTestStore,
  serviceHost,
  testDomains,
} from '@fleet/testing'
import type { RouteName } from '#/dns/api.ts'
import type { Dns } from '#/dns/dns.ts'
import type { Nodes } from '#/nodes/api.ts'

export interface World extends AsyncDisposable {
  readonly store: Store
  readonly nodes: Nodes
  readonly dns: Dns
  readonly pool: LocalPool
  readonly routes: RouteName[]
  readonly leaving: Set<number>
  /** Whether the listener loads what is published: at once, when it is restarted, or never. */
  loads: 'at once' | 'after a restart' | 'never'
  readonly systemd: FakeSystemd
  /** Words of systemctl that changed something, a line each. */
  ran(): readonly string[]
  at(path: string): string
  read(path: string): string | undefined
  catalog(): Catalog
  /** From now on Nodes are given another executable. */
  giveExecutable(given: FakeExecutable): void
  /** A Node with this tunnel address; all machines are this one. */
  enter(address: string, given?: Parameters<typeof addNode>[1]): ReturnType<typeof addNode>
}

export const DIRECTORY = 'var/lib/fleet/private-dns'
export const UNITS = 'etc/systemd/system'
export const LISTENER = `${UNITS}/fleet-private-dns.service`

/** A machine whose root is a folder here; systemctl knows which units were started, and a listener loads as the test says. */
export async function startWorld({ isConfigured = true } = {}): Promise<World> {
  const host = serviceHost()
  const { at, pool, systemd, root } = host
  const store = await openTestStore()
  host.write('calls', '')
  host.install('dnsmasq', 'exit 0')
  const routes: RouteName[] = []
  const leaving = new Set<number>()
  let executables = fakeExecutables()
  const given = {
    store,
    ssh: pool,
    root,
    executables: { find: (architecture: string) => executables.find(architecture) },
  }
  const { network } = testDomains(given)
  if (isConfigured)
    await network.configure({ range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' })
  const domains = testDomains(given, {
    routeNames: { list: async () => [...routes] },
    network: { ...network, leaving: async () => leaving },
  })
  const { dns } = domains
  const { nodes } = domains.nodes
  for (const folder of [DIRECTORY, UNITS]) mkdirSync(at(folder), { recursive: true })
  const world: Omit<World, typeof Symbol.asyncDispose> = {
    store,
    nodes,
    dns,
    pool,
    routes,
    leaving,
    loads: 'at once',
    systemd,
    ran: () =>
      systemd.calls().filter((call) => !/^(?:-q )?(?:is-|show|daemon-reload|reset-failed)/.test(call)),
    at,
    read: host.read,
    catalog: () => parseCatalog(readFileSync(at(`${DIRECTORY}/catalog.json`), 'utf8')),
    giveExecutable: (given) => void (executables = fakeExecutables(given)),
    enter: (address, given = {}) =>
      addNode(store, { user: 'root', wireguard_ip: address, roles: [], ...given }),
  }
  const listener = startListener(world)
  const dispose = async (): Promise<void> => {
    listener.close()
    await store[Symbol.asyncDispose]()
    host[Symbol.dispose]()
  }
  return Object.assign(world, { [Symbol.asyncDispose]: dispose })
}

/** Stands for the listener: it confirms the catalog when it changes, or when it was restarted. */
function startListener(world: Pick<World, 'loads' | 'at' | 'ran'>): FSWatcher {
  const catalog = world.at(`${DIRECTORY}/catalog.json`)
  const load = (): void => {
    if (!existsSync(catalog)) return
    const sha256 = createHash('sha256').update(readFileSync(catalog)).digest('hex')
    writeFileSync(`${catalog}.loaded`, sha256)
  }
  const restarts = (): number =>
    world.ran().filter((line) => line === 'restart fleet-private-dns.service').length
  let seen = 0
  const onChange = (_event: string, name: string | null): void => {
    const isRestart = restarts() > seen
    seen = restarts()
    if (world.loads === 'never') return
    if (isRestart || (world.loads === 'at once' && name === 'catalog.json')) load()
  }
  const log = watch(world.at('calls'), onChange)
  const folder = watch(world.at(DIRECTORY), onChange)
  folder.on('close', () => log.close())
  return folder
}
