import type { RoleName } from '@fleet/contract'
import type { Domains, FamilyChecks, NodeSession, RoleServices } from '@fleet/fleet'
import { run } from '@fleet/shell'
import type { Row, Store } from '@fleet/store'
import {
  addGatewayNode,
  addNode,
  fakeCall,
  fakeNodeServices,
  nodeHandlers,
  noWebsocketServer,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { poolOf, testLab } from './site.ts'

const USER = 'fleet'

/** Notices within seconds that a machine is silent. */
const IMPATIENT = { keepaliveSeconds: 1, keepaliveCount: 2, connectTimeoutMilliseconds: 2000 }

/** A host with the packages of a role as a Node of a fleet: real roles and apt, firewall and network that only take notes. */
export interface RoleHost extends AsyncDisposable {
  readonly host: Host
  readonly store: Store
  readonly node: Row<'nodes'>
  /** What the handlers use; a test may put other steps in the place of `roles.convergence`. */
  readonly roles: RoleServices
  readonly checks: FamilyChecks
  add(role: RoleName, again?: boolean): Promise<void>
  remove(role: RoleName): Promise<void>
  /** `status failed_step` of every assignment of the Node. */
  assignments(): Promise<string[]>
  ensureApt(): Promise<void>
  /** Waits until the machine takes commands again. Throws when it does not. */
  reachable(): Promise<void>
}

export async function startRoleHost(name: string, roles: readonly RoleName[]): Promise<RoleHost> {
  await using stack = new AsyncDisposableStack()
  const lab = await testLab()
  const host = stack.use(await lab.host({ name, roles }))
  const key = (await host.run(['cat', '/root/.ssh/authorized_keys'])).trim()
  await letIn(host, key)
  const store = stack.use(await openTestStore())
  await addGatewayNode(store)
  const node = await addNode(store, {
    name,
    roles: [],
    tld: `${name}.test`,
    platform: 'linux',
    user: USER,
    user_home: `/home/${USER}`,
    wireguard_ip: host.address,
    ssh_host_fingerprint: await host.fingerprint(),
  })
  const ssh = stack.use(poolOf(lab, IMPATIENT))
  const domains = makeFleet(store, ssh)
  const { nodes } = domains.nodes
  const handlers = nodeHandlers(domains)
  const session = async (): Promise<NodeSession> => {
    const record = await nodes.find(node.id)
    if (!record) throw new Error(`${name} is not stored`)
    return nodes.sessions.overTunnel(fakeCall(), record)
  }
  const owned = stack.move()
  return {
    host,
    store,
    node,
    roles: domains.roles.services,
    checks: domains.roles.checks,
    add: async (role, again = false) => {
      const input = { node: node.id, role, converge_existing: again }
      await handlers['node:role:add']({ call: fakeCall(), input })
    },
    remove: async (role) => {
      await handlers['node:role:remove']({ call: fakeCall(), input: { node: node.id, role } })
    },
    assignments: async () => {
      const { data } = await handlers['node:role:list']({ call: fakeCall(), input: { node: node.id } })
      return data.map(({ role, status, failed_step }) =>
        [role, status, failed_step].filter(Boolean).join(' '),
      )
    },
    ensureApt: async () => domains.tools.toolManagers.ensureApt(await session()),
    reachable: async () => {
      const isReached = await waitFor(60, () => session().then(answers))
      if (!isReached) throw new Error(`${name} cannot be reached`)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const answers = (session: NodeSession): Promise<true | undefined> =>
  session.run(run('true')).then(
    () => true,
    () => undefined,
  )

function makeFleet(store: Store, ssh: ReturnType<typeof poolOf>): Domains {
  const services = fakeNodeServices()
  const deps = { store, ssh }
  const { clusters, dns, firewall, network, websocket } = testDomains(deps)
  const domains = testDomains(deps, {
    nodeServices: services,
    firewall: { ...firewall, firewall: { ...firewall.firewall, onNodes: services.firewall } },
    clusters: { ...clusters, membership: services.membership },
    network: { ...network, tunnel: services.tunnel },
    dns: { ...dns, ensure: async () => undefined },
    websocket: { ...websocket, ...noWebsocketServer },
  })
  Object.assign(services, { roles: domains.roles.services })
  return domains
}

/** What enrolment leaves: the managed user with a key and the right to become root. */
/** Lets the managed user of a Node log in with the key, and act as root. */
export async function letIn(host: Host, key: string): Promise<void> {
  await host.run(['useradd', '--create-home', '--shell', '/bin/bash', USER])
  const script = `umask 077 && mkdir -p ~${USER}/.ssh && cat >~${USER}/.ssh/authorized_keys &&
    chown -R ${USER}: ~${USER}/.ssh && echo '${USER} ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/${USER} && sync`
  await host.run(['sh', '-c', script], { input: `${key}\n` })
}
