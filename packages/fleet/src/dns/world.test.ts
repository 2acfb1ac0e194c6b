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
import { systemClock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import {
  addNode,
  type FakeExecutable,
  fakeExecutables,
  type LocalPool,
  localPool,
  openTestStore,
} from '@fleet/testing'
import { type Dns, makeDns, type RouteName } from '#/dns/api.ts'
import { makeNodes, type Nodes } from '#/nodes/api.ts'

export interface World extends AsyncDisposable {
  readonly store: Store
  readonly nodes: Nodes
  readonly dns: Dns
  readonly pool: LocalPool
  readonly routes: RouteName[]
  readonly leaving: Set<number>
  /** Whether the listener loads what is published: at once, when it is restarted, or never. */
  loads: 'at once' | 'after a restart' | 'never'
  /** Words of systemctl that changed something, a line each. */
  ran(): readonly string[]
  at(path: string): string
  read(path: string): string | undefined
  catalog(): Catalog
  /** From now on Nodes are given another executable. */
  giveExecutable(given: FakeExecutable): void
  /** Lets a unit fail at its next starts. */
  breakUnit(unit: string | undefined): void
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
  const pool = localPool({ home, env: { PATH: `${at('bin')}:/usr/bin:/bin` } })
  mkdirSync(at('running'), { recursive: true })
  writeFileSync(at('log'), '')
  program(at('bin/dnsmasq'), 'exit 0')
  program(at('bin/systemctl'), SYSTEMCTL(home))
  const placements = { pathsOn: async () => [], developmentCounts: async () => new Map() }
  const { nodes } = makeNodes({ store, clock: systemClock, ssh: pool, placements })
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
    places: {
      dns: { root: home },
      executable: { directory: at('opt/fleet/bin'), link: at('usr/local/bin/fleet') },
    },
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
    ran: () => readFileSync(at('log'), 'utf8').split('\n').slice(0, -1),
    at,
    read: (path) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined),
    catalog: () => parseCatalog(readFileSync(at(`${DIRECTORY}/catalog.json`), 'utf8')),
    giveExecutable: (given) => void (executables = fakeExecutables(given)),
    breakUnit: (unit) => (unit ? writeFileSync(at('broken'), unit) : rmSync(at('broken'), { force: true })),
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
  const log = watch(world.at('log'), onChange)
  const folder = watch(world.at(DIRECTORY), onChange)
  folder.on('close', () => log.close())
  return folder
}

const SYSTEMCTL = (home: string): string => `
verb=$1
shift
case $verb in
  is-active)
    case $1 in --quiet) shift; exec >/dev/null ;; esac
    for unit; do
      if [ -e '${home}/running/'"$unit" ]; then echo active; else echo inactive; fail=yes; fi
    done
    [ -z "$fail" ] ;;
  is-enabled | reset-failed) exit 1 ;;
  daemon-reload) ;;
  *)
    echo "$verb $*" >>'${home}/log'
    for unit; do
      case $unit in -*) continue ;; esac
      case $verb in
        start | restart)
          rm -f '${home}/running/'"$unit"
          [ "$(cat '${home}/broken')" != "$unit" ] || exit 1
          [ -e '${home}/${UNITS}/'"$unit" ] && : >'${home}/running/'"$unit" || exit 1 ;;
        stop | disable) rm -f '${home}/running/'"$unit" ;;
      esac
    done ;;
esac`

function program(path: string, source: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${source}\n`, { mode: 0o755 })
}
