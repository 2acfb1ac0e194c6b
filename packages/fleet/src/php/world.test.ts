import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import type { Store } from '@fleet/store'
import {
  addNode,
  fakeExecutables,
  localSession,
  openTestStore,
  type ServiceHost,
  serviceHost,
  testDomains,
} from '@fleet/testing'
import type { NodeSession } from '#/nodes/api.ts'
import { makePhp, type Php, type Pool, poolOf, type ProductionService } from '#/php/api.ts'

export interface World extends AsyncDisposable {
  readonly host: ServiceHost
  readonly store: Store
  readonly php: Php
  readonly session: NodeSession
  /** What the records want on the Node. */
  pools: readonly Pool[]
  /** What the records want of production there. */
  services: readonly ProductionService[]
  /** Whether the gateway has a private network. */
  isPrivate: boolean
  /** A version of PHP as its packages leave it. */
  install(version: string): void
  /** A process manager listens for the pool. */
  listen(...pools: readonly Pool[]): Promise<void>
}

const SETTINGS = { range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' }

export const pool = (id: number, version = '8.2', directory = ''): Pool =>
  poolOf({
    instance: { id, name: `shop-${id}` },
    version,
    checkoutPath: `/srv/apps/shop-${id}`,
    defaultDirectory: '',
    directory,
  })

/** A machine whose root is a folder here; its process managers refuse pool files that say `refused`. */
export async function startWorld(): Promise<World> {
  const host = serviceHost()
  const store = await openTestStore()
  const servers: Server[] = []
  host.install('dpkg-query', 'cat "$FAKE/installed" 2>/dev/null')
  host.install('apt-cache', 'cat "$FAKE/offered" 2>/dev/null')
  host.install('apt-get', 'cat "$FAKE/arrives" >>"$FAKE/installed"')
  for (const folder of ['run/lock', 'run/php']) mkdirSync(host.at(folder), { recursive: true })
  const row = await addNode(store, { name: 'web-1', roles: ['app-dev'], user: 'deploy' })
  const { nodes, holders } = testDomains({ store, ssh: host.pool }).nodes
  const node = await nodes.find(row.id)
  if (!node) throw new Error('the Node of the test is gone')
  const pools: readonly Pool[] = []
  const services: readonly ProductionService[] = []
  const world = {
    host,
    store,
    session: localSession(host.pool, { node }),
    pools,
    services,
    isPrivate: true,
    install: (version: string) => {
      const parts = [
        'fpm',
        'bcmath',
        'cli',
        'curl',
        'gd',
        'intl',
        'mbstring',
        'mysql',
        'pgsql',
        'sqlite3',
        'xml',
        'zip',
      ]
      const names = parts.map((part) => `installed php${version}-${part}`)
      host.write('installed', [host.read('installed') ?? '', ...names, ''].join('\n'))
      for (const folder of ['fpm/pool.d', 'fpm/conf.d', 'mods-available'])
        mkdirSync(host.at(`etc/php/${version}/${folder}`), { recursive: true })
      host.write(`etc/php/${version}/fpm/php-fpm.conf`, '[global]\ninclude=/etc/php/pool.d/*.conf\n')
      host.write(`etc/php/${version}/fpm/pool.d/www.conf`, '[www]\n')
      host.systemd.addForeign(`php${version}-fpm.service`)
      host.install(`php-fpm${version}`, MANAGER)
    },
    listen: async (...given: readonly Pool[]) => {
      for (const { name } of given) {
        const path = host.at(`run/php/${name}.sock`)
        if (existsSync(path)) continue
        const server = createServer().listen(path)
        await new Promise((resolve) => server.once('listening', resolve))
        servers.push(server)
      }
    },
  }
  const php = makePhp({
    store,
    holders,
    network: { settings: async () => (world.isPrivate ? SETTINGS : undefined) },
    pools: { poolsOn: async () => world.pools },
    production: { servicesOn: async () => world.services },
    executables: fakeExecutables(),
    root: host.root,
  })
  return Object.assign(world, {
    php,
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) server.close()
      await store[Symbol.asyncDispose]()
      host[Symbol.dispose]()
    },
  })
}

/** The application directories of the pools. */
export function makeDirectories({ host, pools }: World): void {
  for (const { directory } of pools) mkdirSync(host.at(directory), { recursive: true })
}

export const removeDirectory = ({ host }: World, { directory }: Pool): void =>
  rmSync(host.at(directory), { recursive: true })

export const golden = (name: string): string =>
  readFileSync(new URL(`golden/${name}`, import.meta.url), 'utf8')

/** Reads the file that it is to try, and all that this one includes. */
const MANAGER = `file=$3
for included in $(sed -n 's/^include=//p' "$file" | tr ' ' '?'); do
  echo "$included" >>"$FAKE/tried"
  if grep -q refused "$included"; then
    echo "[22-Nov-2026 10:00:00] ERROR: [pool x] refused is not a directory, token=abcdef123456" >&2
    exit 78
  fi
done`
