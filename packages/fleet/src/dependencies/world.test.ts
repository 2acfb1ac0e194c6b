import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import type { DependencyInventory } from '@fleet/contract'
import type { NewRow, Row, Store } from '@fleet/store'
import {
  addInstance,
  addNode,
  addProject,
  type FakeCall,
  fakeCall,
  type LocalPool,
  localPool,
  openTestStore,
  testDomains,
  type TestStoreOptions,
} from '@fleet/testing'
import type { DependenciesDomain } from '#/dependencies/api.ts'

/** Contents by name; values that are no text become JSON. */
export type Files = Readonly<Record<string, unknown>>

export interface WorldGiven extends TestStoreOptions {
  readonly instance?: Partial<NewRow<'instances'>>
  /** Environment of every command on the Node. */
  readonly env?: Readonly<Record<string, string>>
  /** Name of the release that production Instances run. */
  readonly release?: string
  readonly node?: Partial<NewRow<'nodes'>>
  /** Replaces the store of the domains. */
  readonly through?: (store: Store) => Store
}

/** One Node that is this machine, one active Instance in a folder of its own, and the domain as the gateway wires it. */
export interface World extends AsyncDisposable {
  readonly store: Store
  readonly pool: LocalPool
  readonly instance: Row<'instances'>
  readonly node: Row<'nodes'>
  readonly home: string
  /** The checkout. */
  readonly root: string
  readonly domain: DependenciesDomain
  put(files: Files, below?: string): void
  scan(call?: FakeCall): Promise<DependencyInventory>
  show(): Promise<DependencyInventory>
}

export async function startWorld(given: WorldGiven = {}): Promise<World> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-deps-')))
  const store = await openTestStore(given)
  const pool = localPool({ home, ...(given.env ? { env: given.env } : {}) })
  const root = join(home, 'apps', 'shop', 'default')
  mkdirSync(root, { recursive: true })
  const node = await addNode(store, { user: userInfo().username, user_home: home, ...given.node })
  const project = await addProject(store)
  const instance = await addInstance(store, {
    project_id: project.id,
    node_id: node.id,
    checkout_path: root,
    ...given.instance,
  })
  const domain = domainOver(given.through?.(store) ?? store, pool, given.release)
  const input = { instance: instance.id }
  return {
    store,
    pool,
    instance,
    node,
    home,
    root,
    domain,
    put: (files, below = '') => putFiles(join(root, below), files),
    scan: async (call = fakeCall()) =>
      (await domain.handlers['instance:dependencies:scan']({ call, input })).data,
    show: async () => (await domain.handlers['instance:dependencies:show']({ call: fakeCall(), input })).data,
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

export const domainOver = (store: Store, ssh: LocalPool, release?: string): DependenciesDomain =>
  testDomains({ store, ssh }, { releases: { selected: async () => release } }).dependencies

export function putFiles(directory: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  }
}

export const MANIFEST = {
  name: 'shop',
  dependencies: { left: '^1.0.0' },
  devDependencies: { tap: '^2.0.0' },
}

/** A project of npm with one package that requires another, and one for development. */
export const NPM: Files = {
  'package.json': MANIFEST,
  'package-lock.json': {
    name: 'shop',
    lockfileVersion: 3,
    packages: {
      '': MANIFEST,
      'node_modules/left': {
        version: '1.2.0',
        integrity: 'sha512-left',
        dependencies: { pad: '1.x' },
        peerDependencies: { tap: '*' },
      },
      'node_modules/pad': { version: '1.0.5' },
      'node_modules/tap': { version: '2.0.0', dev: true },
    },
  },
}

export const COMPOSER: Files = {
  'composer.json': { require: { 'acme/mail': '^1.0', php: '>=8.2' } },
  'composer.lock': {
    packages: [{ name: 'acme/mail', version: 'v1.4.0', source: { type: 'git', url: 'x', reference: 'abc' } }],
    'packages-dev': [],
    aliases: [],
    'plugin-api-version': '2.6.0',
  },
}

/** State, code and detail of an ecosystem, short to compare. */
export const summary = ({ composer, javascript }: DependencyInventory): readonly string[] =>
  [composer, javascript].map(
    ({ state, succeeded, error_code, error_detail, snapshot }) =>
      `${state} ${succeeded} ${error_code ?? '-'} ${error_detail ?? '-'} ${
        snapshot === null ? 'none' : (snapshot.graph?.resolutions.length ?? 'absent')
      }`,
  )
