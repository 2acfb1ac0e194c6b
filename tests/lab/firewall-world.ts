import { connect } from 'node:net'
import {
  type FirewallDomain,
  type FirewallProgram,
  type NodeSession,
  type NodeRecord,
  WEBSOCKET_PORT,
} from '@fleet/fleet'
import type { RoleName } from '@fleet/contract'
import type { SshPool } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import { addGatewayNode, addNode, fakeCall, type FakeCall, openTestStore, testDomains } from '@fleet/testing'
import type { Host } from '../../lab/index.ts'
import { poolOf, testLab } from './site.ts'
import { layTunnel } from './tunnel-cable.ts'

/** A host with UFW as its packages leave it, known to a fleet of its own, and reached from outside and over a tunnel. */
export interface FirewallLab extends AsyncDisposable {
  readonly host: Host
  readonly store: Store
  readonly domain: FirewallDomain
  readonly call: FakeCall
  node(): Promise<NodeRecord>
  /** A way onto the host. */
  over(way: 'public' | 'tunnel'): Promise<NodeSession>
  /** Whether a new SSH connection is answered. */
  answers(way: 'public' | 'tunnel'): Promise<boolean>
  /** Ends the connections that stand: the next command needs a new one. */
  hangUp(): void
  add(action: 'allow' | 'deny', rule: RuleWords): Promise<unknown>
  remove(name: string): Promise<unknown>
  live(): Promise<Awaited<ReturnType<FirewallDomain['handlers']['node:firewall:live']>>['data']>
  layTunnel(): Promise<void>
  /** Addresses of the machine in the tunnel. */
  readonly gateway: string
  readonly member: string
}

export interface RuleWords {
  readonly name: string
  readonly port: string
  readonly source?: string
  readonly protocol?: 'tcp' | 'udp'
}

export interface FirewallLabOptions {
  readonly roles?: readonly RoleName[]
  /** In the place of the host's own UFW. */
  readonly program?: FirewallProgram
}

// A firewall that drops is silent for ever, so patience costs nothing where the way is open.
const PROBE_MILLISECONDS = 60_000

export async function startFirewallLab(
  name: string,
  { roles = [], program }: FirewallLabOptions = {},
): Promise<FirewallLab> {
  await using stack = new AsyncDisposableStack()
  const lab = await testLab()
  const host = stack.use(await lab.host({ name, roles: ['websocket'] }))
  const { gateway, member } = await layTunnel(lab, host)
  const ssh = stack.use(poolOf(lab))
  const store = stack.use(await openTestStore())
  const domains = testDomains(
    { store, ssh, websocketPort: WEBSOCKET_PORT },
    program ? { firewallProgram: program } : {},
  )
  const { nodes } = domains.nodes
  await addGatewayNode(store, { wireguard_ip: gateway })
  const { id } = await addNode(store, {
    name,
    user: 'root',
    platform: 'linux',
    roles,
    wireguard_ip: host.tunnelAddress,
    public_ssh_host: host.address,
    ssh_host_fingerprint: await host.fingerprint(),
  })
  const domain = domains.firewall
  const call = fakeCall()
  const node = async (): Promise<NodeRecord> => (await nodes.find(id)) ?? Promise.reject(new Error('no Node'))
  const { handlers } = domain
  const owned = stack.move()
  return {
    host,
    store,
    domain,
    call,
    gateway,
    member,
    node,
    over: async (way) =>
      way === 'tunnel'
        ? nodes.sessions.overTunnel(call, await node())
        : nodes.sessions.overPublicSsh(call, await node(), 'root'),
    answers: (way) => answers(ssh, host, way),
    hangUp: () => ssh.forget(id),
    add: (action, rule) =>
      handlers[`node:firewall:${action}`]({
        call,
        input: { node: id, source: 'any', protocol: 'tcp', ...rule },
      }),
    remove: (rule) =>
      handlers['node:firewall:remove']({ call, input: { node: id, name: rule, offline: false } }),
    live: async () => (await handlers['node:firewall:live']({ call, input: { node: id } })).data,
    layTunnel: async () => void (await layTunnel(lab, host)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function answers(ssh: SshPool, host: Host, way: 'public' | 'tunnel'): Promise<boolean> {
  const address = way === 'tunnel' ? host.tunnelAddress : host.address
  if (!(await takesConnections(address, 22))) return false
  const fingerprint = await host.fingerprint()
  const target = { nodeId: 99, host: address, port: 22, user: 'root', fingerprint }
  return ssh.probe(target, PROBE_MILLISECONDS).then(
    () => true,
    () => false,
  )
}

/** Whether a TCP connection is taken within three seconds; a firewall that drops says nothing at all, and the kernel answers at once. */
export const takesConnections = (address: string, port: number, localAddress?: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: 3000, ...(localAddress ? { localAddress } : {}) })
    const end = (taken: boolean) => (): void => {
      socket.destroy()
      resolve(taken)
    }
    socket.once('connect', end(true)).once('timeout', end(false)).once('error', end(false))
  })
