import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { RoleName } from '@fleet/contract'
import type { SshPool } from '@fleet/ssh'
import type { NewRow, Row, Store } from '@fleet/store'
import {
  type NodeGiven,
  addInstance,
  addNode,
  addProject,
  type Domains,
  type DomainsGiven,
  type FakeCall,
  fakeCall,
  type LocalPool,
  localPool,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import type { Environment } from '#/environment/make.ts'
import type { OwnRoute, TestDatabase } from '#/environment/ports.ts'
import { storedValues } from '#/environment/queries.ts'
import { openValues } from '#/environment/sealed-values.ts'

export interface WorldGiven {
  readonly framework?: 'laravel' | 'symfony' | null
  readonly php?: boolean
  /** Type of the Project; by default one that goes with the framework. */
  readonly type?: 'laravel-app' | 'laravel-package' | 'symfony-app' | 'node-package'
  readonly directory?: string
  readonly roles?: readonly RoleName[]
  readonly node?: NodeGiven
  readonly instance?: Partial<NewRow<'instances'>>
  readonly route?: OwnRoute
  readonly testDatabase?: () => TestDatabase | undefined
  /** What stands between the domains and the store. */
  readonly behind?: (store: Store) => Store
  /** Replaces other domains, for faults and doubles. */
  readonly fakes?: (real: Domains) => Partial<Domains>
}

/** One Node that is this machine, one active Instance with a checkout in a folder of its own, and the domain under test. */
export interface World extends AsyncDisposable {
  readonly store: Store
  readonly pool: LocalPool
  readonly node: Row<'nodes'>
  readonly instance: Row<'instances'>
  readonly domains: Domains
  /** Directory of the `.env` file. */
  readonly directory: string
  /** Answer of an operation, with the call's notes in `lastCall`. */
  sync(reference?: number): Promise<{ readonly replaced_keys?: readonly string[] | undefined }>
  /** What a change of its source asks before it, with the application directory that it would get. */
  requireSynchronizable(applicationDirectory: string): Promise<void>
  /** What a change of its domain does. */
  syncUnder(domain: string): Promise<void>
  import(replace?: boolean, reference?: number): Promise<unknown>
  /** What a copy of an Instance does with the file that came with it. */
  importFirst(): Promise<void>
  update(key: string, value: string, reference?: number): Promise<unknown>
  readonly calls: FakeCall[]
  /** What the Node's shell was given as its argument, command by command. */
  readonly lines: string[]
  readonly handlers: Environment['handlers']
  putFile(text: string | Uint8Array, mode?: number): void
  fileText(): string
  /** Octal permission bits of the file. */
  mode(): string
  /** Names in the directory. */
  entries(): string[]
  /** Opened values by key. */
  stored(): Promise<Record<string, string>>
}

export async function makeWorld(given: WorldGiven = {}): Promise<World> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-world-')))
  const store = await openTestStore()
  const pool = localPool({ home })
  const { node, instance, checkout } = await addRecords(store, home, given)
  const lines: string[] = []
  const domains = makeDomains({ store, ssh: recording(pool, lines) }, given)
  const { handlers, importFirst, requireSynchronizable, synchronizeUnder } = domains.environment
  const directory = join(checkout, given.directory ?? '')
  const file = join(directory, '.env')
  const calls: FakeCall[] = []
  const newCall = (): FakeCall => {
    const call = fakeCall()
    calls.push(call)
    return call
  }
  const { id } = instance
  return {
    store,
    pool,
    node,
    instance,
    domains,
    directory,
    calls,
    lines,
    handlers,
    sync: async (reference = id) =>
      (await handlers['env:sync']({ call: newCall(), input: { instance: reference } })).data,
    requireSynchronizable: (applicationDirectory) =>
      requireSynchronizable(newCall(), id, { applicationDirectory, framework: null, php: false }),
    syncUnder: (domain) => synchronizeUnder(newCall(), id, domain),
    import: async (replace, reference = id) =>
      (await handlers['env:import']({ call: newCall(), input: { instance: reference, replace } })).data,
    importFirst: () => importFirst(newCall(), id),
    update: async (key, value, reference = id) =>
      (await handlers['env:update']({ call: newCall(), input: { instance: reference, key, value } })).data,
    putFile: (text, mode = 0o600) => writeFileSync(file, text, { mode }),
    fileText: () => readFileSync(file, 'utf8'),
    mode: () => (statSync(file).mode & 0o777).toString(8),
    entries: () => readdirSync(directory).toSorted(),
    stored: async () =>
      Object.fromEntries(openValues(store.cipher, instance.id, await storedValues(store.db, instance.id))),
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function addRecords(store: Store, home: string, given: WorldGiven) {
  const checkout = join(home, 'apps', 'shop', 'default')
  mkdirSync(join(checkout, given.directory ?? ''), { recursive: true })
  const node = await addNode(store, {
    user: userInfo().username,
    user_home: home,
    ...(given.roles ? { roles: given.roles } : {}),
    ...given.node,
  })
  const project = await addProject(store, { type: given.type ?? typeOf(given.framework) })
  const profile = {
    application_directory: given.directory ?? '',
    framework: given.framework ?? null,
    php: given.php ?? typeof given.framework === 'string',
  }
  const instance = await addInstance(store, {
    project_id: project.id,
    node_id: node.id,
    checkout_path: checkout,
    profile,
    ...given.instance,
  })
  return { node, instance, checkout }
}

function makeDomains(base: DomainsGiven, { behind = (store) => store, ...given }: WorldGiven): Domains {
  const { route, testDatabase } = given
  return testDomains({ ...base, store: behind(base.store) }, (real) => ({
    ownRoutes: { ownRoute: async () => route },
    databases: { ...real.databases, testDatabases: { testDatabase: async () => testDatabase?.() } },
    ...given.fakes?.(real),
  }))
}

const recording = (pool: LocalPool, lines: string[]): SshPool => ({
  ...pool,
  run: (target, command, options) => {
    lines.push(command.line)
    return pool.run(target, command, options)
  },
})

const typeOf = (framework: WorldGiven['framework']): NonNullable<WorldGiven['type']> =>
  framework ? `${framework}-app` : 'node-package'
