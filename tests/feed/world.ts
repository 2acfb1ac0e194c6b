import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type EventType, eventRegistry } from '@fleet/contract'
import type { Certificates, Dns, WebServer } from '@fleet/fleet'
import { type Clock, systemClock } from '@fleet/kernel'
import type { SshPool } from '@fleet/ssh'
import {
  FakeUfw,
  answerText,
  addGrant,
  addRole,
  type FakeNodeServices,
  fakeNodeServices,
  localPool,
  openTestStore,
  observedReply,
  type ScriptedPool,
  scriptedPool,
  serviceHost,
  testDomains,
} from '@fleet/testing'
import { type GitServer, startGitServer } from '@fleet/testing/git-server'
import { startWebsocket } from '@fleet/websocket'
import { pino } from 'pino'
import { ADDRESS, type From, startTestGateway, type TestGateway } from '../api/harness.ts'
import { layWire } from '../embedded/wire.ts'
import { type Listener, listenToFeed, type FeedEvent } from './listener.ts'
import { openPlainDoor } from './plain-door.ts'

export interface Request {
  readonly from?: From
  readonly body?: unknown
}

/** One request and everything that the feed published because of it. */
export interface Done {
  readonly status: number
  // eslint-disable-next-line typescript/no-explicit-any -- A test reads whatever shape it expects and fails on another.
  readonly data: any
  /** Code of the error; undefined for a success. */
  readonly code: string | undefined
  readonly requestId: string
  readonly events: readonly FeedEvent[]
}

/**
 * The real gateway and the real WebSocket server over TLS, with the official client listening. Machines are this one for
 * Git and files, and scripts and fakes for what needs root: tunnel, roles and firewall.
 */
export interface FeedWorld extends AsyncDisposable {
  readonly fleet: TestGateway
  readonly git: GitServer
  /** Address of a repository that no Project has yet. */
  freshRepository(): string
  /** Id of a Project that all tests share. */
  readonly project: () => Promise<number>
  readonly home: string
  readonly services: FakeNodeServices
  readonly ufw: FakeUfw
  readonly listener: Listener
  /** Connections that stay open for requests that only mark a place. */
  readonly fences: Agent
  /** Breaks every connection to the WebSocket server but the listener's. New ones are let through. */
  cut(): void
  /** Asks between two other requests and waits until the feed has published those: nothing can be on its way. */
  perform(method: string, path: string, request?: Request): Promise<Done>
  /** `perform` without a look at the feed. Fails unless it succeeds. */
  // eslint-disable-next-line typescript/no-explicit-any -- As above.
  read(path: string, from?: From): Promise<any>
}

const REPOSITORIES = ['one', 'two', 'three', 'four'] as const

const nothing = { family: 'role', checksOf: async () => [] } as const

/** Of machines that serve and trust whatever they are sent. */
const webServer: WebServer = {
  build: async () => 'applied',
  artifact: { name: 'caddy', digest: async () => undefined, converge: async () => 'unchanged' },
  checks: nothing,
}
const certificates: Certificates = {
  trust: { install: async () => 'installed', remove: async () => undefined },
  publishLeaf: async () => 'published',
  publishLeaves: async () => [],
  confirmLoaded: async () => undefined,
  loadWaiting: async () => undefined,
  requireSigning: () => undefined,
  isLeafDue: async () => false,
  withdrawLeaf: async () => undefined,
  judgeFile: () => undefined,
  inspectServed: async () => undefined,
  checks: [nothing],
}

const dns: Dns = {
  names: {
    publish: async () => undefined,
    confirm: async () => 'unchanged',
    idle: async () => undefined,
    publishWithout: async () => 0,
  },
  answersTo: async () => new Map(),
  publishAs: async () => undefined,
  ensure: async () => undefined,
  remove: async () => undefined,
  artifact: { name: 'private-dns', digest: async () => undefined, converge: async () => 'unchanged' },
  checks: nothing,
}

/** What stands for the addresses of machines that no test has. */
const MACHINES = /^(192\.0\.2\.|198\.18\.|10\.44\.)/

export interface FeedWorldOptions {
  readonly clock?: Clock
  /** One for each Project that is made: no two may have the same. */
  readonly repositories?: readonly string[]
}

export async function startFeedWorld({
  clock,
  repositories = REPOSITORIES,
}: FeedWorldOptions = {}): Promise<FeedWorld> {
  await using stack = new AsyncDisposableStack()
  const home = mkdtempSync(join(tmpdir(), 'fleet-feed-'))
  stack.defer(() => rmSync(home, { recursive: true, force: true }))
  const git = stack.use(await startGitServer(repositories))
  const services = fakeNodeServices()
  const ufw = new FakeUfw()
  ufw.load()
  const local = localPool({ home, env: { GIT_SSL_CAINFO: git.caFile, GIT_CONFIG_NOSYSTEM: '1' } })
  const store = await openTestStore()
  const host = stack.use(serviceHost())
  // Over a machine that has systemd.
  host.install('systemd-analyze', 'exit 0')
  const { processes, schedules } = testDomains({ store, ssh: host.pool, root: host.root })
  const fleet = stack.use(
    await startTestGateway({
      store,
      ssh: poolOf(local, scripted()),
      gitAuthority: git.caFile,
      fakes: {
        nodeServices: services,
        firewallProgram: ufw,
        webServer,
        sourceAccess: {
          apply: async () => ({ warnings: [] }),
          check: async () => undefined,
          open: async () => ({ warnings: [] }),
        },
        certificates,
        dns,
        processes,
        schedules,
      },
      ...(clock ? { clock } : {}),
    }),
  )
  await addGrant(fleet.store, { id: fleet.nodes.gateway }, { id: fleet.nodes.granted })
  // Routes are served in a private network alone.
  const { network } = testDomains({ store: fleet.store })
  await network.configure({ range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' })
  // Whoever runs the tests is the managed user of the Nodes that are this machine.
  await fleet.store.db.updateTable('nodes').set({ user: userInfo().username }).execute()
  const served = await serveFeed(fleet, home, stack)
  const listener = stack.use(await listenToFeed(fleet, served))
  const { cut } = served
  const fences = stack.adopt(
    new Agent({ ca: fleet.ca, localAddress: ADDRESS.gateway, keepAlive: true }),
    (agent) => agent.destroy(),
  )
  const owned = stack.move()
  const fresh: string[] = [...repositories]
  const world: FeedWorld = {
    fleet,
    git,
    project: lazily(() => makeProject(world)),
    freshRepository: () => git.urlOf(fresh.pop() ?? 'none'),
    home,
    services,
    ufw,
    listener,
    fences,
    cut,
    perform: (method, path, request = {}) => perform(world, method, path, request),
    read: async (path, from = 'gateway') => {
      const { status, json, text } = await fleet.ask('GET', `/api/v1${path}`, { from })
      assert.equal(status, 200, text)
      return json.data
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
  return world
}

const lazily = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** Makes a Project of a repository that none has, and answers its id. */
export async function makeProject(world: FeedWorld): Promise<number> {
  const slug = `shop-${randomUUID().slice(0, 8)}`
  const body = { slug, type: 'node-package', repository_url: world.freshRepository(), root: '.' }
  const { json, text } = await world.fleet.ask('POST', '/api/v1/projects', { body })
  assert.equal(json.error, undefined, text)
  return json.data.id
}

function scripted(): ScriptedPool {
  const pool = scriptedPool()
  pool.reply('observe the machine', observedReply())
  pool.reply('verify the servers of a domain', answerText({ failed: '' }))
  pool.reply('inspect PHP pools', answerText({ missing: '', absent: '', own: '', end: 'yes' }))
  pool.reply('prepare the machine', answerText({ outcome: 'prepared' }))
  return pool
}

const poolOf = (local: SshPool, distant: SshPool): SshPool => ({
  run: (target, command, options) =>
    (MACHINES.test(target.host) ? distant : local).run(target, command, options),
  forward: (target, destination, options) => local.forward(target, destination, options),
  probe: (target, timeout) => distant.probe(target, timeout),
  scan: (host, port, timeout) => distant.scan(host, port, timeout),
  forget: () => undefined,
  [Symbol.asyncDispose]: () => Promise.resolve(),
})

async function serveFeed(
  { gateway, store, nodes, ca }: TestGateway,
  home: string,
  stack: AsyncDisposableStack,
): Promise<{ readonly port: number; readonly key: string; cut(): void }> {
  await addRole(store, { node_id: nodes.gateway, role: 'websocket' })
  const app = await gateway.placeRealtime(nodes.gateway, { host: '127.0.0.1', port: 1 })
  const server = await startWebsocket({
    address: '127.0.0.1',
    port: 0,
    tls: await gateway.leaf(['localhost'], ['127.0.0.1'], join(home, 'tls'), () => undefined),
    apps: [app],
    limits: { drainSeconds: 0 },
    clock: systemClock,
    log: pino({ level: 'silent' }),
  })
  stack.defer(() => server.stop())
  const wire = stack.use(await layWire('127.0.0.1', server.port))
  await gateway.placeRealtime(nodes.gateway, { host: '127.0.0.1', port: wire.port })
  const door = stack.use(await openPlainDoor({ port: server.port, authority: ca }))
  return { port: door.port, key: app.key, cut: () => wire.cut() }
}

async function perform(world: FeedWorld, method: string, path: string, request: Request): Promise<Done> {
  const { fleet, listener } = world
  const { from = 'gateway', body } = request
  // What somebody else asked before may still be on its way.
  const before = await fence(world)
  const requestId = randomUUID()
  const { status, json } = await fleet.ask(method, `/api/v1${path}`, {
    from,
    ...(body === undefined ? {} : { body }),
    headers: { 'x-fleet-request-id': requestId },
  })
  const events = listener.events.slice(before + 1, await fence(world))
  return { status, data: json?.data, code: json?.error?.code, requestId, events }
}

/** Asks for something and waits until the feed has published that: where it stands among the events. */
async function fence({ fleet, listener, fences }: FeedWorld): Promise<number> {
  const requestId = randomUUID()
  const headers = { 'x-fleet-request-id': requestId }
  const sent = request(new URL('/api/v1/realtime', fleet.url), { agent: fences, headers })
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage] // What the event brings.
  await text(answer)
  return listener.events.indexOf(await listener.first(({ data }) => data['request_id'] === requestId))
}

/** The events without those of the Activity, which must be whole themselves and exactly those of the request's outcome. */
export async function recordsOf(world: FeedWorld, done: Done): Promise<readonly FeedEvent[]> {
  requireWhole(world, done.events)
  const isNotice = ({ type }: FeedEvent): boolean => type.startsWith('activity.')
  // Work without a request has Activities of its own, at any moment.
  const notices = done.events.filter(
    (event) => isNotice(event) && event.data['request_id'] === done.requestId,
  )
  const { id } = notices.at(-1) ?? {}
  const stored = await world.read(`/activities/${String(id)}`)
  const expected = { ...noticeOf(stored), request_id: done.requestId }
  const [first, second] = notices
  assert.deepEqual(notices.at(-1)?.data, expected)
  assert.equal(notices.length, second ? 2 : 1)
  assert.equal(notices.at(-1)?.type, second ? 'activity.updated' : 'activity.created')
  if (second) {
    const begun = { ...expected, status: 'running', error_code: null, duration_ms: null }
    // What a request is about may be known only after it began.
    assert.deepEqual(first, {
      ...first,
      type: 'activity.created',
      id,
      data: { ...begun, target_node_id: first?.data['target_node_id'] },
    })
  }
  return done.events.filter((event) => !isNotice(event))
}

const NOTICE = [
  'id',
  'request_id',
  'command',
  'status',
  'caller_node_id',
  'target_node_id',
  'error_code',
  'duration_ms',
  'occurred_at',
] as const

const noticeOf = (row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(NOTICE.map((name) => [name, row[name]]))

/** Every event has the six members of the envelope and no other, in one unbroken count, and data of its type. */
function requireWhole({ listener }: FeedWorld, events: readonly FeedEvent[]): void {
  for (const event of events) {
    const { type, id, at, data, sequence, run } = event
    assert.deepEqual(event, { type, id, at, data, sequence, run })
    // EV-004: the steps of deployments go by their names.
    assert.equal(id, data[type.startsWith('deploy_step.') ? 'name' : 'id'])
    assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/)
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000, at)
    assert.ok(Object.hasOwn(eventRegistry, type), type)
    const { success } = eventRegistry[type as EventType].data.safeParse(data) // Just found to be one.
    assert.ok(success, `${type} has other data than the contract says`)
  }
  const [first] = listener.events
  for (const [index, { sequence }] of listener.events.entries())
    if (sequence !== (first?.sequence ?? 0) + index)
      assert.fail(`number ${sequence} stands at place ${index}`)
}
