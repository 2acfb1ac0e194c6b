import { mkdirSync } from 'node:fs'
import type { RunningGateway } from '@fleet/gateway'
import { type NodeServer, type SshKey, startNodeServer } from '@fleet/ssh'
import { type AgentSecret, newAgentSecret } from './agents.ts'
import type { Announcement } from './announcement.ts'
import type { Home } from './home.ts'
import { ensureHostKey } from './host-keys.ts'
import { openKept } from './kept-ports.ts'
import type { Machine } from './machine.ts'
import type { EmbeddedNode } from './node-names.ts'

/** From the gateway's 8443 to 8500: fleets on distant ports never meet. */
const PORTS_ABOVE_GATEWAY = 57

export interface NodesOptions {
  readonly home: Home
  readonly nodes: readonly EmbeddedNode[]
  readonly machine: Machine
  readonly gateway: RunningGateway
  readonly gatewayPort: number
  /** Environment of every command on a Node, besides what a login sets. */
  readonly environment: Readonly<Record<string, string>>
}

export interface RunningNodes extends AsyncDisposable {
  /** The Nodes as the store knows them: an operator may have renamed one. */
  readonly entered: Announcement['nodes']
  /** Id of the gateway's own Node. */
  readonly gatewayId: number
  /** What each Node's agent proves itself with; none where the gateway takes no agents, which is any system but Linux. */
  readonly agents: ReadonlyArray<{ readonly address: string; readonly secret: AgentSecret['secret'] }>
}

interface PreparedNode extends EmbeddedNode {
  readonly agent: AgentSecret
  readonly home: string
  readonly hostKey: SshKey
}

/** Starts an SSH server per Node and enters all of them, and the gateway's own, into the store. */
export async function startNodes(options: NodesOptions): Promise<RunningNodes> {
  const prepared = options.nodes.map((node) => prepare(options.home, node))
  // The store takes a new port at every start, so the Nodes may move to one.
  const first = options.gatewayPort + PORTS_ABOVE_GATEWAY
  const kept = { file: options.home.in('ports.json'), service: 'ssh', first, mayMove: true } as const
  const { port, opened: servers } = await openKept(kept, (at) => openAll(options, prepared, at))
  const gatewayId = await enterGateway(options)
  const entered = []
  for (const node of prepared) entered.push(await enter(options, node, port))
  const agents =
    options.machine.platform === 'linux'
      ? prepared.map(({ address, agent }) => ({ address, secret: agent.secret }))
      : []
  return { entered, gatewayId, agents, [Symbol.asyncDispose]: () => closeAll(servers) }
}

function prepare(home: Home, node: EmbeddedNode): PreparedNode {
  const own = home.in('nodes', node.name)
  mkdirSync(own, { recursive: true, mode: 0o700 })
  const hostKey = ensureHostKey(home.in('host-keys', node.name))
  return { ...node, home: own, hostKey, agent: newAgentSecret() }
}

/** All on one port or none. */
async function openAll(
  { machine, gateway, environment }: NodesOptions,
  nodes: readonly PreparedNode[],
  port: number,
): Promise<readonly NodeServer[]> {
  const started = await Promise.allSettled(
    nodes.map((node) =>
      startNodeServer({
        host: node.address,
        port,
        hostKey: node.hostKey.privateKey,
        authorizedKey: gateway.sshPublicKey,
        home: node.home,
        env: environment,
        user: machine.user,
      }),
    ),
  )
  const servers = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const failed = started.find((each) => each.status === 'rejected')
  if (!failed) return servers
  await closeAll(servers)
  throw failed.reason
}

async function closeAll(servers: readonly NodeServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.close()))
}

async function enterGateway({ gateway, machine }: NodesOptions): Promise<number> {
  const { id } = await gateway.registry.put({
    ...factsOf(machine),
    name: 'gateway',
    wireguard_ip: '127.0.0.1',
    user_home: machine.home,
    ssh_port: 22,
    roles: ['gateway', 'vpn', 'websocket'],
    access: { to: [], by: [] },
  })
  return id
}

async function enter(
  { gateway, machine }: NodesOptions,
  node: PreparedNode,
  port: number,
): Promise<Announcement['nodes'][number]> {
  const { id, name } = await gateway.registry.put({
    ...factsOf(machine),
    name: node.name,
    tld: `${node.name}.test`,
    wireguard_ip: node.address,
    user_home: node.home,
    ssh_host_fingerprint: node.hostKey.fingerprint,
    agent_secret_hash: node.agent.hash,
    ssh_port: port,
    public_ssh_host: node.address,
    public_ssh_port: port,
    roles: ['app-dev'],
    // Without this the command line, which speaks from the gateway's address, could not act on the Node.
    access: { to: [], by: ['gateway'] },
  })
  return { id, name, address: node.address }
}

const factsOf = ({ platform, architecture, user }: Machine) =>
  ({ status: 'active', platform, architecture, user }) as const
