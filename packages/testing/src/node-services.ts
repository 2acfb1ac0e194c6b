import type { NodeSession, NodeRecord, NodeServices, RolesDeps, RoleStep } from '@fleet/fleet'
import type { RoleName } from '@fleet/contract'

/** For fleets in which no test is about the WebSocket server. */
export const noWebsocketServer: RolesDeps['websocket'] = {
  requireCapable: () => Promise.resolve(),
  convergence: [],
  removal: [],
}

/** What the services have made of the machines: plain values, so that two worlds can be compared. */
export interface ServicesWorld {
  /** Node name to the key of its tunnel, also of those that have left the hub. */
  readonly keys: Map<string, string>
  /** Nodes that the hub admits. */
  readonly peers: Set<string>
  /** Nodes that the private DNS should leave out. */
  readonly unnamed: Set<string>
  readonly firewallOn: Set<string>
  readonly publicSsh: Set<string>
  /** What the first bootstrap of a firewall says. */
  readonly closedPorts: string[]
  readonly membersAdmitted: Set<string>
  /** Nodes whose machine resolves through the fleet alone. */
  readonly managedDns: Set<string>
  /** Nodes whose machine asks its own name servers again. */
  readonly releasedDns: Set<string>
  readonly apt: Set<string>
  readonly agents: Set<string>
  readonly exporters: Set<string>
  /** Nodes that may reach Grafana. */
  readonly grafana: Set<string>
  /** Nodes with Router rules of their Cluster. */
  readonly lanAccess: Set<string>
  /** Node id to Cluster id. */
  readonly members: Map<number, number>
  /** `node role`: what a role brought to a machine. */
  readonly roles: Set<string>
}

/** Numbers of what other domains hold on any Node. */
export type OwnedCounts = Record<
  Exclude<keyof NodeServices['owned'], 'dropProcesses' | 'publicDomains'>,
  number
>

/** Every port of Nodes without a machine: what was asked, what became of it, and any call that a test wants to fail. */
export interface FakeNodeServices extends NodeServices {
  /** `firewall.bootstrap web-1` and the like, in order; also those that failed. */
  readonly calls: string[]
  readonly world: ServicesWorld
  readonly owns: OwnedCounts
  /** Addresses that `tunnel.allocate` answers in turn, then 10.44.0.2 and on. */
  readonly addresses: string[]
  /** Top-level domain of every Node's Cluster. */
  clusterTld: string | null
  /** Steps of converging or removing any role; each is a call `role.<role>.<step> <node>`. */
  readonly roleSteps: string[]
  /** What each of them wants known. */
  roleSays: string | undefined
  /** Runs each call; for a process that dies at one. */
  around: <T>(work: () => Promise<T>) => Promise<T>
  /** Every call of this name fails from now on, before its work or just after it. */
  breakAt(name: string, error?: unknown, when?: 'before' | 'after'): void
  clearFaults(): void
}

interface Fault {
  readonly error: unknown
  readonly when: 'before' | 'after'
}

export function fakeNodeServices(): FakeNodeServices {
  const world = emptyWorld()
  const calls: string[] = []
  const faults = new Map<string, Fault>()
  const does: Does = (name, node, work) =>
    services.around(async () => {
      calls.push(node === '' ? name : `${name} ${node}`)
      const fault = faults.get(name)
      if (fault?.when === 'before') throw fault.error
      const result = work()
      if (fault) throw fault.error
      return result
    })
  const fake = {
    calls,
    world,
    owns: ownsNothing(),
    addresses: [],
    clusterTld: null,
    roleSteps: ['packages'],
    roleSays: undefined,
    artifacts: [],
    around: <T>(work: () => Promise<T>) => work(),
    trust: { install: async () => 'unchanged' as const, remove: async () => undefined },
    routes: {
      requireTld: (_before: unknown, { tld }: { readonly tld: string | null }) =>
        does('routes.requireTld', tld ?? 'none', () => undefined),
      isBehind: async () => false,
      followTld: (_call: unknown, _before: unknown, { tld }: { readonly tld: string | null }) =>
        does('routes.followTld', tld ?? 'none', () => undefined),
      followLan: (_call: unknown, { id }: { readonly id: number }) =>
        does('routes.followLan', String(id), () => undefined),
      followRemoval: async () => undefined,
    },
  }
  const faulty: Pick<FakeNodeServices, 'breakAt' | 'clearFaults'> = {
    breakAt: (name, error = new Error(`${name} is broken`), when = 'before') =>
      void faults.set(name, { error, when }),
    clearFaults: () => faults.clear(),
  }
  const services: FakeNodeServices = {
    ...fake,
    ...faulty,
    ...machineServices(world, does),
    ...networkServices(world, does),
    ...({ tunnel: {}, membership: {}, owned: {}, roles: {} } as Pick<
      FakeNodeServices,
      'tunnel' | 'membership' | 'owned' | 'roles'
    >), // Replaced below: these read what the test sets on the object itself.
  }
  return Object.assign(services, selfReading(services, does))
}

type Does = <T>(name: string, node: string, work: () => T) => Promise<T>

const put =
  (does: Does, set: Set<string>, name: string) =>
  (session: NodeSession): Promise<void> =>
    does(name, session.node.name, () => void set.add(session.node.name))

const take =
  (does: Does, set: Set<string>, name: string) =>
  (session: NodeSession): Promise<void> =>
    does(name, session.node.name, () => void set.delete(session.node.name))

const machineServices = (
  world: ServicesWorld,
  does: Does,
): Pick<NodeServices, 'firewall' | 'agent' | 'toolManagers'> => ({
  firewall: {
    bootstrap: ({ node }) =>
      does('firewall.bootstrap', node.name, () => {
        const wasOn = world.firewallOn.has(node.name)
        world.publicSsh.add(node.name)
        world.firewallOn.add(node.name)
        return wasOn ? [] : [...world.closedPorts]
      }),
    admitMembers: put(does, world.membersAdmitted, 'firewall.admitMembers'),
    openPublicSsh: put(does, world.publicSsh, 'firewall.openPublicSsh'),
    closePublicSsh: take(does, world.publicSsh, 'firewall.closePublicSsh'),
    freeCallers: ({ node }) => does('firewall.freeCallers', node.name, () => undefined),
    limitCallers: ({ node }) => does('firewall.limitCallers', node.name, () => undefined),
    applyRole: ({ node }, role) => does(`firewall.applyRole.${role}`, node.name, () => undefined),
    withdrawRole: ({ node }, role) => does(`firewall.withdrawRole.${role}`, node.name, () => undefined),
    openTunnel: put(does, world.membersAdmitted, 'firewall.openTunnel'),
    restore: ({ node }) =>
      does('firewall.restore', node.name, () => {
        const changed = !world.firewallOn.has(node.name) || !world.membersAdmitted.has(node.name)
        world.firewallOn.add(node.name)
        world.membersAdmitted.add(node.name)
        if (node.activeRoles.length > 0) world.publicSsh.delete(node.name)
        return changed
      }),
  },
  agent: {
    converge: ({ node }) =>
      does('agent.converge', node.name, () => {
        if (world.agents.has(node.name)) return 'unchanged'
        world.agents.add(node.name)
        return 'applied'
      }),
    digest: (node) => does('agent.digest', node.name, () => 'a'.repeat(64)),
    remove: take(does, world.agents, 'agent.remove'),
  },
  toolManagers: { ensureApt: put(does, world.apt, 'toolManagers.ensureApt') },
})

const networkServices = (world: ServicesWorld, does: Does): Pick<NodeServices, 'dns' | 'exporters'> => ({
  dns: {
    publish: () => does('dns.publish', '', () => world.unnamed.clear()),
    confirm: async () => 'unchanged',
    idle: async () => undefined,
    publishWithout: (_call, { name }) =>
      does('dns.publishWithout', name, () => {
        world.unnamed.add(name)
        return 2
      }),
  },
  exporters: {
    reconcile: (_call, { name }) => does('exporters.reconcile', name, () => void world.exporters.add(name)),
    withdraw: (_call, { name }) => does('exporters.withdraw', name, () => void world.exporters.delete(name)),
    revokeAccess: (_call, { name }) =>
      does('exporters.revokeAccess', name, () => void world.grafana.delete(name)),
  },
})

const selfReading = (
  self: FakeNodeServices,
  does: Does,
): Pick<NodeServices, 'tunnel' | 'membership' | 'owned' | 'roles'> => ({
  tunnel: tunnelOf(self, does),
  membership: membershipOf(self, does),
  owned: ownedOf(self, does),
  roles: {
    requireCapable: ({ node }, role) => does(`roles.requireCapable.${role}`, node.name, () => undefined),
    convergence: (role) => roleSteps(self, does, role, (key) => void self.world.roles.add(key)),
    removal: (role) => roleSteps(self, does, role, (key) => void self.world.roles.delete(key)),
    onActive: async () => undefined,
  },
})

const roleSteps = (
  { roleSteps: names, roleSays }: FakeNodeServices,
  does: Does,
  role: RoleName,
  work: (key: string) => void,
): RoleStep[] =>
  names.map((name) => ({
    name,
    run: ({ node }) =>
      does(`role.${role}.${name}`, node.name, () => {
        work(`${node.name} ${role}`)
        return roleSays
      }),
  }))

const tunnelOf = (self: FakeNodeServices, does: Does): NodeServices['tunnel'] => ({
  requireConfigured: () => does('tunnel.requireConfigured', '', () => undefined),
  allocate: (wanted) =>
    does('tunnel.allocate', '', () => wanted ?? self.addresses.shift() ?? `10.44.0.${self.calls.length + 1}`),
  join: ({ node }, { isHub }) =>
    does(isHub ? 'tunnel.join.hub' : 'tunnel.join', node.name, () => {
      const publicKey = `key of ${node.name}`
      const changed = self.world.keys.get(node.name) !== publicKey || !self.world.peers.has(node.name)
      self.world.keys.set(node.name, publicKey)
      self.world.peers.add(node.name)
      self.world.releasedDns.delete(node.name)
      return { publicKey, changed }
    }),
  publish: () =>
    does('tunnel.publish', '', () => {
      const before = self.world.peers.size
      for (const name of self.world.keys.keys()) self.world.peers.add(name)
      return self.world.peers.size > before
    }),
  leave: (_call, { name }: NodeRecord) => does('tunnel.leave', name, () => self.world.peers.delete(name)),
  rejoin: (_call, { name }: NodeRecord) => does('tunnel.rejoin', name, () => void self.world.peers.add(name)),
  endLeave: async (_tx, { name }) => !self.world.peers.has(name),
  releaseResolver: ({ node }) =>
    does('tunnel.releaseResolver', node.name, () => void self.world.releasedDns.add(node.name)),
  applyResolver: ({ node }, managed) =>
    does('tunnel.applyResolver', node.name, () => {
      self.world.releasedDns.delete(node.name)
      const changed = self.world.managedDns.has(node.name) !== managed
      if (managed) self.world.managedDns.add(node.name)
      else self.world.managedDns.delete(node.name)
      return changed
    }),
})

const membershipOf = (self: FakeNodeServices, does: Does): NodeServices['membership'] => ({
  requireAttachable: (_call, _cluster, { name }) =>
    does('membership.requireAttachable', name, () => undefined),
  attach: (_call, cluster, node) =>
    does('membership.attach', String(node), () => void self.world.members.set(node, cluster)),
  detach: (_call, _cluster, node) =>
    does('membership.detach', String(node), () => void self.world.members.delete(node)),
  withdrawLanAccess: (_call, { name }) =>
    does('membership.withdrawLanAccess', name, () => void self.world.lanAccess.delete(name)),
  updateLanAccess: (_call, { name }) =>
    does('membership.updateLanAccess', name, () => void self.world.lanAccess.add(name)),
  tldOf: async () => self.clusterTld,
})

const ownedOf = (self: FakeNodeServices, does: Does): NodeServices['owned'] => ({
  instances: async () => self.owns.instances,
  openTransfers: async (destination_node_id) =>
    Array.from({ length: self.owns.openTransfers }, (_none, at) => ({
      instance_id: at + 1,
      destination_node_id,
      name: null,
    })),
  routes: async () => self.owns.routes,
  dependentRoutes: async () => self.owns.dependentRoutes,
  publicDomains: async () =>
    Array.from({ length: self.owns.dependentRoutes }, (_none, at) => `shop-${at + 1}.example`),
  schedules: async () => self.owns.schedules,
  processes: async () => self.owns.processes,
  firewallRules: async () => self.owns.firewallRules,
  databaseServers: async () => self.owns.databaseServers,
  dropProcesses: (_tx, _call, node) =>
    does('owned.dropProcesses', String(node), () => void (self.owns.processes = 0)),
})

const ownsNothing = (): OwnedCounts => ({
  instances: 0,
  openTransfers: 0,
  routes: 0,
  dependentRoutes: 0,
  schedules: 0,
  processes: 0,
  firewallRules: 0,
  databaseServers: 0,
})

const emptyWorld = (): ServicesWorld => ({
  keys: new Map(),
  peers: new Set(),
  unnamed: new Set(),
  firewallOn: new Set(),
  publicSsh: new Set(),
  closedPorts: [],
  membersAdmitted: new Set(),
  managedDns: new Set(),
  releasedDns: new Set(),
  apt: new Set(),
  agents: new Set(),
  exporters: new Set(),
  grafana: new Set(),
  lanAccess: new Set(),
  members: new Map(),
  roles: new Set(),
})
