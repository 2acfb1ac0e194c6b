import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InstancesDomain, NodeRecord, Outcome } from '@fleet/fleet'
import type { InputOf, InstanceData, RemovalData } from '@fleet/contract'
import { type Clock, CodedError, type Details, systemClock } from '@fleet/kernel'
import type { SshPool } from '@fleet/ssh'
import type { Row, Store } from '@fleet/store'
import { fakeCall, type FakeCall } from './call.ts'
import { testDomains } from './domains.ts'
import { addNode, addProject } from './factories.ts'
import { type GitServer, startGitServer } from './git-server.ts'
import { type LocalPool, localPool } from './local-pool.ts'
import { openTestStore, type TestStoreOptions } from './store.ts'

type CreateInput = InputOf<'instance:create'>

/** A Node that is this machine, a Project with a real repository served over HTTPS, and the domain of Instances. */
export interface InstancesFleet extends AsyncDisposable {
  readonly store: Store
  readonly git: GitServer
  readonly pool: LocalPool
  readonly node: NodeRecord
  readonly project: Row<'projects'>
  readonly domain: InstancesDomain
  /** The domain of another process over the same store, Node and clock, or over their fakes. */
  rebuild(parts?: { readonly store?: Store; readonly ssh?: SshPool; readonly clock?: Clock }): InstancesDomain
  call(given?: Parameters<typeof fakeCall>[0]): FakeCall
  /** Creates the Instance `feature` unless another name is given. */
  create(given?: Partial<CreateInput>, domain?: InstancesDomain): Promise<Outcome<InstanceData>>
  destroy(id: number, force?: boolean, domain?: InstancesDomain): Promise<RemovalData>
  /** Home of the Node's managed user. */
  readonly home: string
  readonly apps: string
  /** Every name below the apps root, to see that nothing is left over. */
  residue(): readonly string[]
}

export interface InstancesFleetOptions extends TestStoreOptions {
  /** Environment of every command, over that of the Node. */
  readonly env?: Readonly<Record<string, string>>
}

export async function startInstancesFleet(options: InstancesFleetOptions = {}): Promise<InstancesFleet> {
  // The real path: on macOS the temporary folder lies behind a link.
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-node-')))
  const git = await startGitServer(['app'])
  const store = await openTestStore(options)
  const pool = localPool({
    home,
    env: { GIT_SSL_CAINFO: git.caFile, GIT_CONFIG_NOSYSTEM: '1', ...options.env },
  })
  const node = { ...(await addNode(store, { user_home: home })), activeRoles: ['app-dev'] as const }
  const project = await addProject(store, {
    slug: 'app',
    repository_url: git.urlOf('app'),
    repository_identity: '127.0.0.1/app',
  })
  const rebuild: InstancesFleet['rebuild'] = ({
    store: given = store,
    ssh = pool,
    clock = systemClock,
  } = {}) => build(given, ssh, clock)
  const apps = join(home, 'apps')
  const domain = rebuild()
  return {
    store,
    git,
    pool,
    node,
    project,
    home,
    apps,
    rebuild,
    domain,
    call: (given) => fakeCall(given),
    create: (given, chosen = domain) => {
      const input = { project_id: project.id, node_id: node.id, name: 'feature', ...given }
      return chosen.handlers['instance:create']({ call: fakeCall(), input })
    },
    destroy: async (id, force = false, chosen = domain) =>
      (await chosen.handlers['instance:destroy']({ call: fakeCall(), input: { instance: id, force } })).data,
    residue: () => (existsSync(apps) ? readdirSync(apps, { recursive: true }).map(String).toSorted() : []),
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      await git[Symbol.asyncDispose]()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

const build = (store: Store, ssh: SshPool, clock: Clock): InstancesDomain =>
  testDomains({ store, clock, ssh }, { git: noRemote }).instances

// The Projects of a test are rows: no operation on Instances asks their remote from the gateway.
const unasked = (): never => {
  throw new Error('the gateway asked a remote')
}
const noRemote = { defaultBranch: unasked, hasBranch: unasked, githubToken: unasked }

/** A folder in place of what a test wants to find untouched. */
export const makeFolder = (...parts: readonly string[]): string => {
  const path = join(...parts)
  mkdirSync(path, { recursive: true })
  return path
}

/** What a refused or failed request says. */
export async function refusalOf(request: Promise<unknown>): Promise<{
  readonly code: string
  readonly status: number
  readonly message: string
  readonly details: Details
}> {
  const error: unknown = await request.then(
    () => new Error('the request succeeded'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof CodedError)) throw error
  const { code, status, message, details = {} } = error
  return { code, status, message, details }
}
