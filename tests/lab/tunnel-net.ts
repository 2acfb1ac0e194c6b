import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Network, NodeRecord, Nodes, NodeSession } from '@fleet/fleet'
import type { SshPool } from '@fleet/ssh'
import { run } from '@fleet/shell'
import type { Store } from '@fleet/store'
import { addNode, addRole, fakeCall, openTestStore, testDomains } from '@fleet/testing'
import type { Host, Lab } from '../../lab/index.ts'
import { hostPlace } from '../../lab/place.ts'
import { poolOf, testLab } from './site.ts'

/** The domain of the network over a store of its own, with real hosts as its machines; the gateway works from the hub. */
export interface TunnelNet extends AsyncDisposable {
  readonly lab: Lab
  readonly store: Store
  readonly ssh: SshPool
  readonly nodes: Nodes
  readonly network: Network
  /** What was asked of machines, in order: the `shown` of each command. */
  readonly asked: string[]
  /** A host, and the record of its Node with a free tunnel address. The first one is hub and gateway. */
  enter(name: string, given?: Parameters<typeof addNode>[1]): Promise<Member>
  join(member: Member): Promise<string>
  record(member: Member): Promise<NodeRecord>
  /** Runs words over SSH on the Node's tunnel address. */
  overTunnel(member: Member, ...words: string[]): Promise<string>
  session(member: Member): Promise<NodeSession>
}

export interface Member {
  readonly host: Host
  readonly id: number
  readonly address: string
}

const SUFFIX = 'fleet'
/** One set for all hosts, so that one layer of packages serves the whole file. */
const ROLES = ['vpn'] as const

export async function startTunnelNet(): Promise<TunnelNet> {
  await using stack = new AsyncDisposableStack()
  const lab = await testLab()
  const store = stack.use(await openTestStore())
  const hosts = stack.use(new AsyncDisposableStack())
  const asked: string[] = []
  const ways = stack.use(new Ways(lab))
  const ssh = stack.use(recording(ways.through(stack.use(poolOf(lab, { keepaliveSeconds: 5 }))), asked))
  const {
    nodes: { nodes },
    network,
  } = testDomains({ store, ssh })
  const range = `10.44.${lab.addresses.octet}.0/24`
  await network.configure({ range, hubPort: 51_820, endpoint: null, suffix: SUFFIX })
  const record = async ({ id }: Member): Promise<NodeRecord> => {
    const node = await nodes.find(id)
    if (!node) throw new Error(`no Node ${id}`)
    return node
  }
  const session: TunnelNet['session'] = async (member) =>
    nodes.sessions.overTunnel(fakeCall(), await record(member))
  const enter: TunnelNet['enter'] = async (name, { roles = [], ...given } = {}) => {
    const isFirst = (await nodes.list()).length === 0
    const host = hosts.use(await lab.host({ name, roles: ROLES }))
    const address = await network.tunnel.allocate(null)
    const row = await addNode(store, {
      name,
      status: 'active',
      platform: 'linux',
      user: 'root',
      user_home: '/root',
      public_ssh_host: host.address,
      public_ssh_port: 22,
      wireguard_ip: address,
      ssh_host_fingerprint: await host.fingerprint(),
      roles,
      ...given,
    })
    if (isFirst) {
      ways.leadThrough(host)
      for (const role of ['vpn', 'gateway'] as const) await addRole(store, { node_id: row.id, role })
    }
    return { host, id: row.id, address }
  }
  const join: TunnelNet['join'] = async (member) => {
    const node = await record(member)
    const session = nodes.sessions.overPublicSsh(fakeCall(), node, 'root')
    const { publicKey } = await network.tunnel.join(session, { isHub: node.activeRoles.includes('vpn') })
    return publicKey
  }
  const owned = stack.move()
  return {
    lab,
    store,
    ssh,
    nodes,
    network,
    asked,
    enter,
    join,
    record,
    session,
    overTunnel: async (member, ...words) => {
      const { run: runOn } = await session(member)
      return (await runOn(run(...words), { timeoutSeconds: 30 })).stdout.toString()
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const recording = (pool: SshPool, asked: string[]): SshPool => ({
  ...pool,
  run: (target, command, options) => {
    asked.push(command.shown)
    return pool.run(target, command, options)
  },
})

/** Ways for this machine, which is no member, into the tunnel: a socket here for each address, opened again inside the hub. */
export class Ways implements AsyncDisposable {
  readonly #lab: Lab
  readonly #ports = new Map<string, Promise<number>>()
  readonly #stack = new AsyncDisposableStack()
  #hub: Host | undefined

  constructor(lab: Lab) {
    this.#lab = lab
  }

  leadThrough(hub: Host): void {
    this.#hub = hub
  }

  through(pool: SshPool): SshPool {
    return {
      ...pool,
      run: async (target, command, options) => {
        if (!target.host.startsWith('10.44.')) return pool.run(target, command, options)
        const port = await this.#portTo(target.host, target.port)
        return pool.run({ ...target, host: '127.0.0.1', port }, command, options)
      },
      probe: async (target, milliseconds) => {
        if (!target.host.startsWith('10.44.')) return pool.probe(target, milliseconds)
        const port = await this.#portTo(target.host, target.port)
        return pool.probe({ ...target, host: '127.0.0.1', port }, milliseconds)
      },
      scan: async (host, port, milliseconds) =>
        host.startsWith('10.44.')
          ? pool.scan('127.0.0.1', await this.#portTo(host, port), milliseconds)
          : pool.scan(host, port, milliseconds),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }
  }

  #portTo(host: string, port: number): Promise<number> {
    const key = `${host}:${port}`
    const known = this.#ports.get(key) ?? this.#open(host, port)
    this.#ports.set(key, known)
    return known
  }

  async #open(host: string, port: number): Promise<number> {
    const server = createServer((socket) => this.#relay(socket, host, port)).listen(0, '127.0.0.1')
    this.#stack.defer(() => void server.close())
    await once(server, 'listening')
    return (server.address() as AddressInfo).port // A TCP server that listens has an address.
  }

  #relay(socket: Socket, host: string, port: number): void {
    if (!this.#hub) return void socket.destroy()
    const { id } = hostPlace(this.#lab.place, this.#hub.name)
    // The network alone: `ip netns exec` takes a copy of all mounts, which would hold the disks of hosts whose power is cut.
    const network = `--net=/run/netns/${id}`
    const child = spawn('nsenter', [network, process.execPath, '-e', RELAY, host, String(port)], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const end = (): void => {
      child.kill('SIGKILL')
      socket.destroy()
    }
    this.#stack.defer(end)
    socket.on('error', end).on('close', end).pipe(child.stdin)
    child.stdin.on('error', end)
    child.stdout.on('error', end).pipe(socket)
    child.on('error', end).on('exit', end)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}

const RELAY = `const socket = require('node:net').connect(Number(process.argv[2]), process.argv[1])
socket.on('error', () => process.exit(1)).on('close', () => process.exit(0))
process.stdin.on('end', () => process.exit(0)).pipe(socket).pipe(process.stdout)`
