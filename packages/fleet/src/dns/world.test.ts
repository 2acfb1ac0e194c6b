import { createHash } from 'node:crypto'
import {
  existsSync,
  type FSWatcher,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Catalog, parseCatalog } from '@fleet/dns'
import type { Store } from '@fleet/store'
import {
  addNode,
  type FakeExecutable,
  fakeExecutables,
  type FakeSystemd,
  fakeSystemd,
  type LocalPool,
  localPool,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import { makeDns, type RouteName } from '#/dns/api.ts'
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

/** A machine whose root is a folder here; systemctl knows which units were started, and a listener loads as it is told. */
export async function startWorld({ isConfigured = true } = {}): Promise<World> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet dns-')))
  const at = (path: string): string => join(home, path)
  const store = await openTestStore()
  const systemd = fakeSystemd(home)
  const pool = localPool({ home, env: systemd.env })
  writeFileSync(at('calls'), '')
  program(at('fake/dnsmasq'), 'exit 0')
  const { nodes } = testDomains({ store, ssh: pool }).nodes
  const routes: RouteName[] = []
  const leaving = new Set<number>()
  let executables = fakeExecutables()
  const settings = { range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' }
  const dns = makeDns({
    store,
    nodes,
    network: {
      settings: async () => (isConfigured ? settings : undefined),
      leaving: async () => leaving,
    },
    routes: { list: async () => routes },
    executables: { find: (architecture) => executables.find(architecture) },
    root: home,
  })
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
    read: (path) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined),
    catalog: () => parseCatalog(readFileSync(at(`${DIRECTORY}/catalog.json`), 'utf8')),
    giveExecutable: (given) => void (executables = fakeExecutables(given)),
    enter: (address, given = {}) =>
      addNode(store, { user: 'root', wireguard_ip: address, roles: [], ...given }),
  }
  const listener = startListener(world)
  const dispose = async (): Promise<void> => {
    listener.close()
    await store[Symbol.asyncDispose]()
    rmSync(home, { recursive: true, force: true })
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

function program(path: string, source: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${source}\n`, { mode: 0o755 })
}
