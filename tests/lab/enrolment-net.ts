import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after } from 'node:test'
import type { InputOf, NodeAdditionData, NodeRemovalData, RoleName } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { SshPool } from '@fleet/ssh'
import type { Row, Store } from '@fleet/store'
import {
  addRole,
  type FakeCall,
  fakeCall,
  fakeNodeServices,
  nodeHandlers,
  noWebsocketServer,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import type { Host, Lab } from '../../lab/index.ts'
import { feedDeps } from './feed-server.ts'
import { poolOf, testLab } from './site.ts'
import { Ways } from './tunnel-net.ts'

/** Notices within seconds that a machine is silent. */
const IMPATIENT = { keepaliveSeconds: 1, keepaliveCount: 2, connectTimeoutMilliseconds: 3000 }

export type Enrolment = Partial<InputOf<'node:add'>>

/** How a request ended, and its steps. */
export interface Ended<T> {
  readonly data: T | undefined
  readonly failure: CodedError | undefined
  readonly steps: readonly string[]
  /** Steps in which a command was sent to a machine. In the others no fault of a machine can meet anything. */
  readonly asking: ReadonlySet<string>
}

/**
 * The life of Nodes on real hosts: tunnel, firewall, roles and apt are real; names, agent and exporters take notes. The
 * gateway is this process, which works from the hub.
 */
export interface EnrolmentNet extends AsyncDisposable {
  readonly lab: Lab
  readonly store: Store
  readonly hub: Host
  /** A host with the base packages of a Node, or a blank one. */
  host(name: string, isBlank?: boolean): Promise<Host>
  /** `onStep` is called when a step begins. */
  enroll(host: Host, given?: Enrolment, onStep?: OnStep): Promise<Ended<NodeAdditionData>>
  remove(
    name: string,
    flags?: { readonly force?: boolean; readonly offline?: boolean },
    onStep?: OnStep,
  ): Promise<Ended<NodeRemovalData>>
  addRole(name: string, role: RoleName, onStep?: OnStep): Promise<Ended<unknown>>
  removeRole(name: string, role: RoleName, onStep?: OnStep): Promise<Ended<unknown>>
  /** `from` is the name of the Node that held the role, for the repeat of a move that stopped half way. */
  relocateRole(name: string, role: RoleName, from?: string, onStep?: OnStep): Promise<Ended<unknown>>
  row(name: string): Promise<Row<'nodes'> | undefined>
  /** `role status failed_step error_code` of each assignment of a Node. */
  roles(name: string): Promise<readonly string[]>
}

/** Nothing more is sent to any machine until what it answers has happened. */
export type OnStep = (step: string) => Promise<void> | undefined

const TUNNEL = { hubPort: 51_820, endpoint: null, suffix: 'fleet' } as const

/** The one net of a test file: started by the first test that asks for it, and removed after the last. */
export function shareEnrolmentNet(name: string, options: NetOptions = {}): () => Promise<EnrolmentNet> {
  let net: Promise<EnrolmentNet> | undefined
  after(async () => (await net?.catch(() => undefined))?.[Symbol.asyncDispose]())
  return () => (net ??= startEnrolmentNet(name, options))
}

/** A host that is a Node without roles, with the packages of one. */
export async function bareNode(fleet: EnrolmentNet, name: string): Promise<Host> {
  const host = await fleet.host(name)
  const { failure } = await fleet.enroll(host)
  assert.equal(failure, undefined, String(failure?.cause))
  return host
}

interface NetOptions {
  /** The role `websocket` brings its real server, for which a release is built; it takes notes otherwise. */
  readonly servesFeed?: boolean
}

async function startEnrolmentNet(name: string, { servesFeed = false }: NetOptions): Promise<EnrolmentNet> {
  await using stack = new AsyncDisposableStack()
  const lab = await testLab()
  const store = stack.use(await openTestStore())
  const hosts = stack.use(new AsyncDisposableStack())
  const ways = stack.use(new Ways(lab))
  const gate = new Gate()
  const ssh = gate.through(ways.through(stack.use(poolOf(lab, IMPATIENT))))
  const services = fakeNodeServices()
  const sshPublicKey = readFileSync(`${lab.key.privateKeyFile}.pub`, 'utf8').trim()
  const host: EnrolmentNet['host'] = async (of, isBlank = false) =>
    hosts.use(await lab.host({ name: `${name}-${of}`, roles: isBlank ? [] : ['gateway', 'database'] }))
  const hub = await host('hub')
  ways.leadThrough(hub)
  const folders = stack.use(new DisposableStack())
  const deps = { store, ssh, sshPublicKey, ...(servesFeed ? await feedDeps(hub, folders) : {}) }
  const { dns, websocket } = testDomains(deps)
  const domains = testDomains(deps, {
    nodeServices: services,
    dns: { ...dns, ensure: async () => undefined },
    ...(servesFeed ? {} : { websocket: { ...websocket, ...noWebsocketServer } }),
  })
  const handlers = nodeHandlers(domains)
  const { network, firewall, roles, tools } = domains
  Object.assign(services, {
    firewall: firewall.firewall.onNodes,
    tunnel: network.tunnel,
    roles: roles.services,
    toolManagers: tools.toolManagers,
  })
  await network.configure({ range: `10.44.${lab.addresses.octet}.0/24`, ...TUNNEL })
  const enroll: EnrolmentNet['enroll'] = async (machine, given = {}, onStep) => {
    const input = {
      name: machine.name,
      public_ssh_host: machine.address,
      host_key_fingerprint: await machine.fingerprint(),
      settings: undefined,
      ...given,
    }
    return ended(gate, onStep, async (call) => (await handlers['node:add']({ call, input })).data)
  }
  const row: EnrolmentNet['row'] = (of) =>
    store.db.selectFrom('nodes').selectAll().where('name', '=', of).executeTakeFirst()
  const idOf = async (of: string): Promise<number> => (await row(of))?.id ?? 0
  const first = await enroll(hub, { roles: ['vpn'] })
  if (first.failure) throw first.failure
  await addRole(store, { node_id: first.data?.id ?? 0, role: 'gateway' })
  const owned = stack.move()
  return {
    lab,
    store,
    hub,
    host,
    enroll,
    row,
    ...rolesOf({ store, handlers, gate, idOf }),
    remove: async (of, flags = {}, onStep) => {
      const input = { node: await idOf(of), ...flags }
      return ended(gate, onStep, async (call) => (await handlers['node:remove']({ call, input })).data)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

interface RoleDeps {
  readonly store: Store
  readonly handlers: ReturnType<typeof nodeHandlers>
  readonly gate: Gate
  idOf(name: string): Promise<number>
}

function rolesOf({
  store,
  handlers,
  gate,
  idOf,
}: RoleDeps): Pick<EnrolmentNet, 'addRole' | 'removeRole' | 'relocateRole' | 'roles'> {
  return {
    addRole: async (of, role, onStep) => {
      const input = { node: await idOf(of), role }
      return ended(gate, onStep, async (call) => (await handlers['node:role:add']({ call, input })).data)
    },
    removeRole: async (of, role, onStep) => {
      const input = { node: await idOf(of), role }
      return ended(gate, onStep, async (call) => (await handlers['node:role:remove']({ call, input })).data)
    },
    relocateRole: async (of, role, from, onStep) => {
      const input = { node: await idOf(of), role, ...(from === undefined ? {} : { from: await idOf(from) }) }
      return ended(gate, onStep, async (call) => (await handlers['node:role:relocate']({ call, input })).data)
    },
    roles: async (of) => {
      const rows = await store.db
        .selectFrom('node_roles')
        .selectAll()
        .where('node_id', '=', await idOf(of))
        .orderBy('id')
        .execute()
      return rows.map((one) =>
        [one.role, one.status, one.failed_step, one.error_code].filter(Boolean).join(' '),
      )
    },
  }
}

/** Holds commands back while a fault is injected, so that a fault never comes too late, and sees which are sent. */
class Gate {
  #until: Promise<void> = Promise.resolve()
  #seen: () => void = () => undefined

  /** Told of each command from now on. */
  watch(seen: () => void): void {
    this.#seen = seen
  }

  hold(until: Promise<void> | undefined): void {
    if (until) this.#until = until
  }

  async #enter(): Promise<void> {
    this.#seen()
    await this.#until
  }

  through(pool: SshPool): SshPool {
    return {
      ...pool,
      run: async (...asked) => {
        await this.#enter()
        return pool.run(...asked)
      },
      scan: async (...asked) => {
        await this.#enter()
        return pool.scan(...asked)
      },
      probe: async (...asked) => {
        await this.#enter()
        return pool.probe(...asked)
      },
    }
  }
}

async function ended<T>(
  gate: Gate,
  onStep: OnStep | undefined,
  work: (call: FakeCall) => Promise<T>,
): Promise<Ended<T>> {
  const call = fakeCall({ caller: undefined })
  const asking = new Set<string>()
  let now = ''
  gate.watch(() => asking.add(now))
  const report = call.progress
  const watched: FakeCall = {
    ...call,
    progress: (progress) => {
      report(progress)
      if (progress.status !== 'started') return
      now = progress.step
      gate.hold(onStep?.(now))
    },
  }
  try {
    return { data: await work(watched), failure: undefined, steps: call.steps, asking }
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return { data: undefined, failure: error, steps: call.steps, asking }
  }
}
