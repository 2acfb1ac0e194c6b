import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, type InputOf } from '@fleet/contract'
import { SshFailure } from '@fleet/ssh'
import { type Secret, systemClock, systemIds } from '@fleet/kernel'
import { textFile } from '@fleet/shell'
import type { DialectName, Row } from '@fleet/store'
import {
  addInstance,
  addNode,
  addProcess,
  addProject,
  asCaller,
  type FakeCall,
  fakeCall,
  fakeDatabases,
  type LocalPool,
  localPool,
  openTestStore,
  type ServiceHost,
  serviceHost,
  testDomains,
} from '@fleet/testing'
import { type DatabasesDomain, type DatabasesDeps, makeDatabases } from '#/databases/make.ts'
import type { Containers } from '#/databases/servers/ports.ts'
import { findServer } from '#/databases/servers/queries.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import type { Environment } from '#/environment/api.ts'

/** Processes as servers see them: one container, whose variables can be read. */
export interface FakeContainers extends Containers {
  /** Variables of each container that ran, in order. */
  readonly ran: ReadonlyArray<Readonly<Record<string, string>>>
}

/** One Node whose Docker has one server, as files, and the domain over it. */
export interface ServerWorld extends AsyncDisposable {
  readonly deps: DatabasesDeps
  readonly databases: DatabasesDomain
  readonly environment: Environment
  readonly node: Row<'nodes'>
  readonly containers: FakeContainers
  /** Runs the commands of other domains on the same machine. */
  readonly pool: LocalPool
  call(): FakeCall
  createServer(given?: Partial<InputOf<'database:server:create'>>): Promise<ServerRecord>
  create(slug: string, instance?: { readonly id: number }): Promise<unknown>
  destroy(slug: string, call?: FakeCall): Promise<unknown>
  addInstance(name: string, project?: number): Promise<Row<'instances'>>
  /** Names of what is on the server, such as `db.shop` and `user.shop`. */
  onServer(): readonly string[]
  grantsOf(user: string): string
  /** Every statement that the server got. */
  log(): string
  /** Statements with this text fail; none without one. */
  breakOn(text?: string): void
  put(name: string, content?: string): void
  text(name: string): string
  drop(name: string): void
  /** The Node answers nothing, or again. */
  silence(isSilent?: boolean): void
  /** The container stops to run. */
  stop(): void
  /** What is in the volume of the server was initialized with another password, or by half. */
  spoil(password: string): void
  /** The password that the volume of the server takes. */
  rootOf(): string
}

export async function startServerWorld(dialect?: DialectName): Promise<ServerWorld> {
  const host = serviceHost()
  const store = await openTestStore(dialect ? { dialect } : {})
  const state = join(host.root, 'server')
  mkdirSync(state)
  host.install('docker', textFile('fake-server.sh', import.meta.url))
  const node = await addNode(store, { user: 'root', roles: ['app-dev'] })
  const project = await addProject(store, { slug: 'shop' })
  const ssh = poolOf(host, state)
  const domains = testDomains({ store, ssh, root: host.root })
  const containers = fakeContainers(store, state)
  const deps: DatabasesDeps = {
    store,
    clock: systemClock,
    ids: systemIds,
    ssh,
    engines: { access: fakeDatabases(), dial: () => Promise.reject(new Error('unused')) },
    nodes: domains.nodes.nodes,
    instances: domains.instances.instances,
    environment: domains.environment,
    containers,
    dependents: domains.processes.dependents,
    routes: domains.ownRoutes,
  }
  const databases = makeDatabases(deps)
  const call = () => fakeCall({ caller: asCaller(node, true) })
  const at = (name: string): string => join(state, name)
  const text = (name: string): string => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : '')
  return {
    deps,
    databases,
    environment: domains.environment,
    node,
    containers,
    pool: ssh,
    call,
    createServer: async (given = {}) => {
      const slug = given.slug ?? 'main'
      const input = { slug, node_id: node.id, ...given }
      await databases.handlers['database:server:create']({ call: call(), input })
      return (await findServer(store.db, slug)) ?? Promise.reject(new Error('no server'))
    },
    create: async (slug, instance) =>
      (
        await databases.handlers['database:create']({
          call: call(),
          input: { slug, server: 'main', ...(instance ? { instance_id: instance.id } : {}) },
        })
      ).data,
    destroy: (slug, given = call()) =>
      databases.handlers['database:destroy']({ call: given, input: { slug } }),
    addInstance: (name, project_id = project.id) =>
      addInstance(store, { project_id, node_id: node.id, name }),
    onServer: () =>
      readdirSync(state)
        .filter((name) => /^(?:db|user)\./.test(name))
        .toSorted(),
    grantsOf: (user) => text(`user.${user}`),
    log: () => text('log'),
    breakOn: (part) =>
      part === undefined ? rmSync(at('broken'), { force: true }) : writeFileSync(at('broken'), part),
    put: (name, content = '') => writeFileSync(at(name), content),
    text,
    drop: (name) => rmSync(at(name)),
    silence: (isSilent = true) => {
      ssh.clearFaults()
      if (isSilent) ssh.failBefore(() => true)
      const silent = () => Promise.reject(new SshFailure('unreachable', false))
      Object.assign(ssh, { probe: isSilent ? silent : () => Promise.resolve() })
    },
    stop: () => rmSync(at('running'), { force: true }),
    spoil: (password) => writeFileSync(at('root'), password),
    rootOf: () => text('root'),
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      host[Symbol.dispose]()
    },
  }
}

const poolOf = (host: ServiceHost, state: string) =>
  localPool({ home: host.root, env: { ...host.systemd.env, FLEET_FAKE_SERVER: state } })

export function fakeContainers(store: DatabasesDeps['store'], state: string): FakeContainers {
  const ran: Array<Readonly<Record<string, string>>> = []
  const nameOf: Containers['nameOf'] = ({ id, name }) => `orbit-process-${id}-${name}`
  return {
    ran,
    nameOf,
    requireDocker: async () => {
      if (existsSync(join(state, 'no-docker')))
        throw fail('node.capability_missing', { details: { capability: 'docker' } })
    },
    reserve: async (_call, { node, name, command }) =>
      (await store.db
        .selectFrom('processes')
        .select('id')
        .where('node_id', '=', node.id)
        .where('name', '=', name)
        .executeTakeFirst()) ??
      addProcess(store, {
        node_id: node.id,
        name,
        runtime: 'docker',
        runtime_config: { command: [...command], preset: null },
        restart_policy: 'unless-stopped',
        desired_state: 'running',
        status: 'creating',
      }),
    run: async (_session, id, once: ReadonlyMap<string, Secret> = new Map()) => {
      const { name } = await store.db
        .selectFrom('processes')
        .select('name')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      ran.push(Object.fromEntries([...once].map(([key, value]) => [key, value.reveal()])))
      const [password] = once.values()
      // Only an empty volume takes the password.
      if (password && !existsSync(join(state, 'root'))) writeFileSync(join(state, 'root'), password.reveal())
      writeFileSync(join(state, 'running'), nameOf({ id, name, runtime: 'docker' }))
      return 'running'
    },
    remove: async (_call, id) => {
      rmSync(join(state, 'running'), { force: true })
      await store.db.deleteFrom('processes').where('id', '=', id).execute()
    },
  }
}
