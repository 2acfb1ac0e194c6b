import { fail } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import {
  addGatewayNode,
  addInstance,
  addNode,
  fakeCall,
  fakeRemoteGit,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import { makeMortal, type Moment, type Mortal } from '@fleet/testing/death'
import type { Certificates } from '#/certificates/api.ts'
import type { Domains } from '#/compose/api.ts'
import type { FirewallProgram } from '#/firewall/api.ts'
import type { ProductionHomes } from '#/instances/api.ts'
import type { Network } from '#/network/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import type { Php } from '#/php/api.ts'
import type { RolesDomain } from '#/roles/api.ts'
import { makePoolSource, makeProductionSource, makeServedSource, makeSiteSource } from '#/routes/api.ts'
import type { SourceAccess } from '#/source-access/api.ts'
import { featuresOf, renderCaddyfile, ROOT_FILE, type Site, type WebServer } from '#/web-server/api.ts'
import { type Machine, Machines } from '#/compose/sequences/machines.test.ts'
import { nodePool } from '#/compose/sequences/scripts.test.ts'

/** One process of the gateway: every domain as it is wired, over machines in memory. */
export interface Gateway {
  readonly domains: Domains
  readonly mortal: Mortal
}

export interface Town extends AsyncDisposable {
  readonly store: Store
  readonly machines: Machines
  /** Hub and gateway. */
  readonly hub: number
  /** Ids of the others. */
  readonly nodes: readonly number[]
  /** A process that dies at the moment; without one it lives. */
  start(moment?: Moment): Gateway
  /** One that lives, over other machines. */
  startOn(machines: Machines): Gateway
}

const RANGE = { range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' }
/** Of Nodes, in the order of their addresses from 10.44.0.11 on. */
const NODES = [
  { name: 'dev-1', roles: ['app-dev'], tld: 'one', lan_ip: '192.168.7.11' },
  { name: 'dev-2', roles: ['app-dev'], tld: 'two' },
  { name: 'prod-1', roles: ['app-prod'], tld: 'three', lan_ip: '192.168.7.13' },
  { name: 'prod-2', roles: ['app-prod'], tld: 'four' },
  { name: 'edge-1', roles: [], lan_ip: '192.168.7.15' },
  { name: 'edge-2', roles: [] },
] as const

/** A gateway with a private network, six Nodes and nothing on them. */
export async function openTown(): Promise<Town> {
  const store = await openTestStore()
  const machines = new Machines()
  const hub = await addGatewayNode(store, {
    roles: ['gateway', 'vpn'],
    platform: 'linux',
    wireguard_ip: '10.44.0.1',
  })
  const nodes: number[] = []
  for (const [at, { roles, ...given }] of NODES.entries())
    nodes.push(
      (await addNode(store, { ...given, roles, platform: 'linux', wireguard_ip: `10.44.0.${11 + at}` })).id,
    )
  const town: Town = {
    store,
    machines,
    hub: hub.id,
    nodes,
    start: (moment) => startGateway(store, machines, moment),
    startOn: (others) => startGateway(store, others),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
  const { domains } = town.start()
  await domains.network.configure(RANGE)
  for (const { id, wireguard_ip, lan_ip } of await domains.nodes.nodes.list())
    for (const address of [wireguard_ip, lan_ip]) if (address !== null) machines.addresses.set(address, id)
  await addProduction(town)
  for (const node of await domains.nodes.nodes.list()) {
    const session = domains.nodes.nodes.sessions.overTunnel(fakeCall(), node)
    await domains.firewall.firewall.onNodes.restore(session)
    await domains.webServer.build(session, 'app-dev')
  }
  await domains.dns.names.publish(fakeCall())
  await furnish(town, domains)
  return town
}

/** An active Cluster with a Router and an ingress, an Instance of development, and Routes of production. */
async function furnish(
  { nodes, store }: Town,
  { clusters, roleHandlers, projects, instances, routes }: Domains,
): Promise<void> {
  const [first = 0, second = 0, third = 0, fourth = 0, edge = 0] = nodes
  const call = fakeCall
  const { data } = await clusters.handlers['cluster:create']({
    call: call(),
    input: { name: 'home', tld: 'home' },
  })
  const cluster = data.id
  for (const node of [first, second, third, fourth, edge])
    await clusters.handlers['cluster:node:attach']({ call: call(), input: { cluster, node } })
  await clusters.handlers['cluster:router:set']({ call: call(), input: { cluster, node: edge } })
  await clusters.handlers['cluster:update']({ call: call(), input: { cluster, state: 'active' } })
  await roleHandlers['node:role:add']({ call: call(), input: { node: edge, role: 'ingress' } })
  const input = { slug: 'shop', type: 'laravel-app', root: 'public', repository_url: URL } as const
  const { data: project } = await projects.handlers['project:create']({ call: call(), input })
  await instances.handlers['instance:create']({
    call: call(),
    input: { project_id: project.id, node_id: first, name: 'default' },
  })
  const production = await store.db
    .selectFrom('instances')
    .selectAll()
    .where('environment', '=', 'production')
    .execute()
  for (const { id, name } of production)
    await routes.handlers['route:create']({
      call: call(),
      input: { instance_id: id, domain: `${name}.example`, publication: name === 'a' ? 'public' : 'private' },
    })
}

const URL = 'https://git.example.com/acme/shop.git'

/** A Project with three Instances of production, which no operation of a sequence could set up in memory. */
async function addProduction({ store, machines, nodes }: Town): Promise<void> {
  const [, , third = 0, fourth = 0] = nodes
  const { domains } = startGateway(store, new Machines())
  const { data } = await domains.projects.handlers['project:create']({ call: fakeCall(), input: SHOP })
  for (const [name, node_id] of [
    ['a', third],
    ['b', fourth],
    ['c', third],
  ] as const) {
    const home = `/home/${name}`
    machines.of(node_id).homes.add(home, FIRST_RELEASE)
    machines.of(node_id).php.set(home, FIRST_RELEASE)
    await addInstance(store, {
      project_id: data.id,
      node_id,
      name,
      environment: 'production',
      checkout_path: `${home}/releases/initial`,
      production_user: name,
      production_home: home,
      profile: { application_directory: '', framework: 'laravel', php: true, php_version: '8.2' },
      selected_release: FIRST_RELEASE,
    })
  }
}

const FIRST_RELEASE = '20260101000000-0'

const SHOP = {
  slug: 'store',
  type: 'laravel-app',
  root: 'public',
  repository_url: 'https://git.example.com/acme/store.git',
} as const

function startGateway(store: Store, machines: Machines, moment?: Moment): Gateway {
  const mortal = makeMortal(store, nodePool(machines), moment)
  const command = <T>(work: () => T | Promise<T>): Promise<T> =>
    mortal.around(() => machines.command(async () => work()))
  const given = { store: mortal.store, ssh: mortal.ssh, clock: CLOCK }
  const real = testDomains(given)
  const on = ({ id }: Pick<NodeRecord, 'id'>): Machine => {
    if (machines.isSilent(id)) throw fail('node.unreachable')
    return machines.of(id)
  }
  const parts = { store: mortal.store, command, on }
  const certificates = certificatesOf(real.certificates, parts)
  const fakes = {
    git: remoteOf(),
    network: networkOf(real.network),
    firewallProgram: firewallOf(parts),
    certificates,
    webServer: webServerOf(real, certificates, parts),
    php: phpOf(real.php, parts),
    sourceAccess: accessOf(parts),
    productionHomes: homesOf(parts),
  }
  const roles: RolesDomain = {
    ...real.roles,
    services: withoutMachines(() => composed.services),
  }
  const domains: Domains = testDomains(given, { ...fakes, roles })
  const composed = testDomains(given, fakes).roles
  return { domains, mortal }
}

/** Nobody waits for resolvers. */
const CLOCK = { ...systemClock, sleep: async () => undefined }

interface Parts {
  readonly store: Store
  command<T>(work: () => T | Promise<T>): Promise<T>
  on(node: Pick<NodeRecord, 'id'>): Machine
}

/** Every repository of these tests has one branch. */
function remoteOf() {
  const git = fakeRemoteGit()
  return { ...git, defaultBranch: async () => 'main', hasBranch: async () => true }
}

const networkOf = (real: Network): Network => ({
  ...real,
  tunnel: { ...real.tunnel, applyResolver: async () => false },
})

const firewallOf = ({ command, on }: Parts): FirewallProgram => ({
  read: ({ node }) => command(() => on(node).ufw.read()),
  listening: ({ node }) => on(node).ufw.listening(),
  write: ({ node }, writing) => command(() => on(node).ufw.write(undefined, writing)),
  limitCallers: (session, limit) => on(session.node).ufw.limitCallers(session, limit),
})

const certificatesOf = (real: Certificates, { command, on }: Parts): Certificates => ({
  ...real,
  publishLeaf: async ({ node }, { scope, names }) => {
    await command(() => on(node).leaves.set(scope, names.join(' ')))
    return 'published'
  },
  withdrawLeaf: async ({ node }, { scope }) => void (await command(() => on(node).leaves.delete(scope))),
})

const FEATURES = featuresOf({ major: 2, minor: 9 })

/** The file of these sites. */
export const fileOf = (sites: readonly Site[]): string =>
  renderCaddyfile(sites, { features: FEATURES, root: ROOT_FILE, acmeDirectory: undefined })

/** The sites of a Node as the records are. */
export const siteSource = (
  { network, certificates }: Pick<Domains, 'network' | 'certificates'>,
  store: Store,
) => makeSiteSource({ store, certificates, network })

function webServerOf(
  { webServer, network }: Pick<Domains, 'webServer' | 'network'>,
  certificates: Certificates,
  { store, command, on }: Parts,
): WebServer {
  const source = siteSource({ network, certificates }, store)
  return {
    ...webServer,
    build: async ({ node }) => {
      const sites = await source.sitesOn(node)
      const file = fileOf(sites)
      return command(() => {
        const machine = on(node)
        for (const { domain, tls } of sites)
          if (
            tls.kind === 'leaf' &&
            ![...machine.leaves.keys()].some((scope) => tls.file.includes(`/${scope}/`))
          )
            throw new Error(`${domain} on ${node.name}: ${tls.file} is missing`)
        if (machine.file === file) return 'unchanged'
        Object.assign(machine, { file, sites })
        return 'applied'
      })
    },
  }
}

function phpOf(real: Php, { store, command, on }: Parts): Php {
  const pools = makePoolSource({ store })
  const converge = (node: NodeRecord): Promise<void> =>
    command(async () => {
      on(node).pools = (await pools.poolsOn(node)).map(({ name }) => name).toSorted()
    })
  const production = makeProductionSource({ store })
  const withHome = (
    node: NodeRecord,
    id: number,
    work: (machine: Machine, home: string, selected: string | undefined) => unknown,
  ): Promise<void> =>
    command(async () => {
      const machine = on(node)
      const service = (await production.servicesOn(node)).find(({ instance }) => instance.id === id)
      if (service) work(machine, service.home, machine.homes.selectedIn(service.home))
    })
  // Every home of a town has its directories.
  const started: Php['production']['converge'] = ({ node }, id) =>
    withHome(node, id, ({ php }, home, selected) => {
      if (!php.has(home)) php.set(home, selected)
    })
  return {
    ...real,
    versionFor: ({ node }) => command(() => on(node) && '8.2'),
    versionThere: ({ node }) => command(() => on(node) && '8.2'),
    publish: ({ node }) => converge(node),
    converge: async ({ node }) => {
      await converge(node)
      return { outcome: 'applied', skipped: [] }
    },
    withdraw: ({ node }) => command(() => void (on(node).pools = [])),
    production: {
      ...real.production,
      versionFor: ({ node }) => command(() => on(node) && '8.2'),
      converge: started,
      convergeFound: started,
      refresh: ({ node }, id) => withHome(node, id, ({ php }, home, selected) => php.set(home, selected)),
      remove: ({ node }, id) => withHome(node, id, ({ php }, home) => php.delete(home)),
    },
  }
}

const homesOf = ({ command, on }: Parts): ProductionHomes => ({
  accountFor: (_node, slug, name) => ({ user: `${slug}-${name}`, home: `/home/${slug}-${name}` }),
  requireFree: ({ node }) => command(() => void on(node)),
  ensure: ({ node }) => command(() => void on(node)),
})

function accessOf({ store, command, on }: Parts): SourceAccess {
  const served = makeServedSource({ store })
  return {
    check: ({ node }) => command(() => void on(node)),
    open: async ({ node }, { checkoutPath, webRoots }) => {
      await command(() => {
        const { opened } = on(node)
        // Whoever opens nothing closes all that is below.
        if (webRoots.length === 0)
          for (const path of opened.keys()) if (path.startsWith(`${checkoutPath}/`)) opened.delete(path)
        opened.set(checkoutPath, webRoots)
      })
      return { warnings: [] }
    },
    apply: async ({ node }, path) => {
      await command(async () => {
        const checkout = (await served.servedOn(node)).find(({ checkoutPath }) => checkoutPath === path)
        if (checkout) on(node).opened.set(path, checkout.webRoots)
        else on(node).opened.delete(path)
      })
      return { warnings: [] }
    },
  }
}

/** Steps of roles that install programs and make folders. */
const OF_MACHINES: ReadonlySet<string> = new Set([
  'packages',
  'services',
  'directories',
  'apps-root',
  'composer',
])

const withoutMachines = (services: () => RolesDomain['services']): RolesDomain['services'] => ({
  requireCapable: (...given) => services().requireCapable(...given),
  convergence: (role) =>
    services()
      .convergence(role)
      .filter(({ name }) => !OF_MACHINES.has(name)),
  removal: (...given) => services().removal(...given),
  onActive: (...given) => services().onActive(...given),
})
