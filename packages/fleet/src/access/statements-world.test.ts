import { mkdirSync, rmSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { Secret } from '@fleet/kernel'
import { SshFailure } from '@fleet/ssh'
import type { DialectName, Row, Store } from '@fleet/store'
import {
  addActivity,
  addCluster,
  addDatabase,
  addDeployment,
  addInstance,
  addNode,
  addProcess,
  addProject,
  addSchedule,
  addStep,
  asCaller,
  countedStore,
  fakeCall,
  fakeDatabases,
  type FakeDatabases,
  fakeNodeServices,
  fakeRemoteGit,
  fakeRouterServices,
  fakeSystemd,
  FakeUfw,
  type LocalPool,
  localPool,
  makeNodeHome,
  openTestStore,
  type RecordKind,
  StoreCounts,
  testDomains,
  testServices,
} from '@fleet/testing'
import type { Handlers, Locate } from '#/handler.ts'

/** One gateway with a record of every kind, whose statements are counted. */
export interface StatementsWorld extends AsyncDisposable {
  /** Without the counting. */
  readonly store: Store
  counts: StoreCounts
  readonly handlers: Handlers
  readonly locate: Locate
  /** The gateway, which calls, and two Nodes that are this machine. */
  readonly hub: Row<'nodes'>
  readonly node: Row<'nodes'>
  readonly other: Row<'nodes'>
  /** Values of path parameters. */
  readonly path: Record<string, string | number>
  /** Ids of the records whose reads are counted. */
  readonly records: Partial<Record<RecordKind, readonly (number | string)[]>>
  readonly pool: ScriptedProbes
  /** What every registered database answers. */
  readonly databases: FakeDatabases
  openStream(owner: 'instance' | 'process'): Promise<void>
}

/** Nodes that answer until a test says otherwise. */
interface ScriptedProbes extends LocalPool {
  failProbes(): void
}

function probed(pool: LocalPool): ScriptedProbes {
  let fails = false
  return {
    ...pool,
    failProbes: () => void (fails = true),
    probe: async () => {
      if (fails) throw new SshFailure('unreachable', false)
    },
  }
}

const SOCKET = '12.34'

export async function startStatementsWorld(dialect?: DialectName): Promise<StatementsWorld> {
  const home = makeNodeHome('fleet-statements')
  const store = await openTestStore(dialect ? { dialect } : {})
  const records = await recordsIn(store, home)
  const { hub, node, other, cluster, project, instance, route, process, tool, schedule, activity } = records
  const { database, deployment } = records
  const world = { counts: new StoreCounts() }
  // No unit of this machine is touched.
  const systemd = fakeSystemd(home)
  const pool = probed(localPool({ home, env: systemd.env }))
  const databases = fakeDatabases()
  const engines = { access: databases, dial: () => Promise.reject(new Error('no sockets here')) }
  const deps = { store: countedStore(store, () => world.counts), ssh: pool, root: home, engines }
  const { services, logs } = gatewayOver(deps)
  logs.channel(node.id).joined(new Map([[`agent.${node.id}`, {}]]))
  const path: StatementsWorld['path'] = {
    node: node.id,
    serving: node.id,
    consumer: other.id,
    cluster: cluster.id,
    project: project.id,
    instance: instance.id,
    candidate: instance.id,
    route: route.id,
    activity: activity.id,
    process: process.id,
    tool: tool.id,
    schedule: schedule.id,
    deployment: deployment.id,
    slug: database.slug,
    name: 'web',
    step: 'step-1',
    role: 'database',
    key: 'A',
    table: 'a',
  }
  const { handlers } = services
  return Object.assign(world, {
    store,
    handlers,
    pool,
    databases,
    locate: services.access.locate,
    hub,
    node,
    other,
    path,
    records: {
      node: [node.id, other.id],
      cluster: [cluster.id],
      project: [project.id],
      instance: [instance.id],
      activity: [activity.id],
      route: [route.id],
      process: [process.id],
      tool: [tool.id],
      schedule: [schedule.id],
      database: [database.id],
    },
    openStream: async (owner: 'instance' | 'process') => {
      const call = fakeCall({ caller: asCaller(hub) })
      const wanted = { socket_id: SOCKET, lines: 10 }
      const { data } =
        owner === 'instance'
          ? await handlers['instance:log-stream:open']({ call, input: { instance: instance.id, ...wanted } })
          : await handlers['process:log-stream:open']({ call, input: { process: process.id, ...wanted } })
      path['stream'] = data.id
    },
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      rmSync(home, { recursive: true, force: true })
    },
  })
}

async function recordsIn(store: Store, home: string) {
  const user = { user: userInfo().username, user_home: home, platform: 'linux' } as const
  const hub = await addNode(store, { roles: ['gateway', 'vpn'] })
  const node = await addNode(store, { ...user, tld: 'web.test', wireguard_public_key: 'key' })
  const other = await addNode(store, { ...user, roles: [] })
  const cluster = await addCluster(store)
  const project = await addProject(store)
  const checkout_path = join(home, 'apps', 'shop', 'default')
  mkdirSync(join(checkout_path, 'storage', 'logs'), { recursive: true })
  const instance = await addInstance(store, { project_id: project.id, node_id: node.id, checkout_path })
  for (const list of ['setup', 'teardown', 'dev-deploy'] as const)
    await addStep(store, { project_id: project.id, list, position: 1 })
  const activity = await addActivity(store, { target_node_id: node.id })
  const route = await store.db
    .insertInto('routes')
    .values({
      kind: 'custom_proxy',
      domain: 'mail.internal',
      node_id: node.id,
      upstream: 'http://127.0.0.1:8025',
      provenance: 'explicit',
      publication: 'private',
      status: 'active',
      created_at: '2026-01-02T03:04:05.000Z',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const database = await addDatabase(store, { slug: 'shop', password: 'sealed' })
  const process = await addProcess(store, {
    node_id: node.id,
  })
  const schedule = await addSchedule(store, {
    id: '7f3c1a52-8a4e-4b60-9a3e-0d5b8c6f2e11',
    node_id: node.id,
  })
  const tool = await store.db
    .insertInto('tools')
    .values({
      node_id: node.id,
      manager: 'apt',
      package: 'sudo',
      status: 'installed',
      installed_version: '1.9.13',
      created_at: '2026-01-02T03:04:05.000Z',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const deployment = await addDeployment(store, instance.id)
  return {
    hub,
    node,
    other,
    cluster,
    project,
    instance,
    route,
    process,
    tool,
    schedule,
    activity,
    database,
    deployment,
  }
}

function gatewayOver(deps: Parameters<typeof testDomains>[0]) {
  const firewallProgram = new FakeUfw()
  firewallProgram.load()
  const base = {
    nodeServices: fakeNodeServices(),
    git: fakeRemoteGit(),
    firewallProgram,
    routerServices: fakeRouterServices(),
  }
  const { realtime, agents } = testDomains(deps, base)
  Object.assign(agents.views, {
    subscriber: () => 'up',
    of: () => ({ presence: 'online' }), // The rest of a view is nothing to logs.
  })
  const fakes = {
    ...base,
    realtime: { ...realtime, servers: async () => ({ current: SERVER, leaving: [] }) },
    agents,
  }
  const { logs } = testDomains(deps, fakes)
  return { services: testServices(deps, { ...fakes, logs }), logs }
}

const SERVER = {
  nodeId: 3,
  nodeName: 'realtime',
  address: '10.44.0.3',
  port: 8790,
  host: 'reverb.fleet',
  url: 'wss://reverb.fleet:8790',
  app: { id: 'fleet', key: 'app-key', secret: new Secret('app-secret') },
}
