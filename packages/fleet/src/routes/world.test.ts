import { type ErrorCode, fail, type InputOf } from '@fleet/contract'
import { systemClock, systemIds } from '@fleet/kernel'
import type { DialectName, Store } from '@fleet/store'
import {
  addGatewayNode,
  addNode,
  addProject,
  checkoutPool,
  fakeCall,
  FakeCheckouts,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import { makeMortal, type Moment, type Mortal } from '@fleet/testing/death'
import { type Certificates, leafFile } from '#/certificates/api.ts'
import type { Environment } from '#/environment/api.ts'
import type { Dns } from '#/dns/api.ts'
import type { Network } from '#/network/api.ts'
import type { NodeRecord, NodeSession, Nodes } from '#/nodes/api.ts'
import { type InstanceRoutes, type InstancesDomain, makeInstances } from '#/instances/api.ts'
import {
  makePoolSource,
  makeRoutes,
  makeServedSource,
  makeSiteSource,
  type RoutesDomain,
} from '#/routes/api.ts'
import type { ApplicationUrls } from '#/routes/application-urls.ts'
import type { RoutesParts } from '#/routes/parts.ts'
import type { SourceAccess } from '#/source-access/api.ts'
import { settleSites, type Site, type WebServer } from '#/web-server/api.ts'

/** What a Node has of Routes, as steps left it. */
export interface Machine {
  /** Scope and names. */
  readonly leaves: Map<string, string>
  /** Domains of the live file, each with what it does. */
  readonly sites: Map<string, string>
  /** Names of the PHP pools. */
  readonly pools: Set<string>
  /** Web roots that the web server may read, of each checkout that it was asked about. */
  readonly opened: Map<string, readonly string[]>
  /** `APP_URL` of each application directory that it was written for. */
  readonly urls: Map<string, string>
  /** Its ports are open to everybody. */
  isOpen?: boolean
}

export type Trouble =
  | 'php'
  | 'pool'
  | 'access'
  | 'url'
  | 'leaf'
  | 'site'
  | 'name'
  | 'leaf gone'
  | 'path'
  | 'ports'

export interface World extends AsyncDisposable {
  readonly store: Store
  /** What the process did. */
  readonly mortal: Mortal
  readonly checkouts: FakeCheckouts
  readonly parts: RoutesParts
  readonly routes: RoutesDomain
  readonly instances: InstancesDomain
  readonly environment: Environment
  /** What the live file served after each build. */
  readonly builds: string[]
  /** Whether a Schedule has every Instance as its target. */
  hasSchedule: boolean
  /** The directories of all pools are gone. */
  hasNoDirectories: boolean
  /** What the Node's PHP answers for every source. */
  php: string | null
  readonly node: NodeRecord
  /** Milliseconds that Routes waited. */
  readonly slept: readonly number[]
  readonly machine: Machine
  /** By the id of the Node; that of `node` among them. */
  readonly machines: ReadonlyMap<number, Machine>
  /** The domain in the `.env` of each production Instance, by its id. */
  readonly environments: Map<number, string>
  /** Names that the private DNS answers. */
  readonly names: Set<string>
  /** What happened on machines, in order. */
  readonly done: string[]
  /** The next one of these fails with the code, until it is taken away. */
  readonly broken: Map<Trouble, ErrorCode>
  /** What is broken works again once it has failed so often. */
  worksAfter: { readonly what: Trouble; times: number; seen(): void } | undefined
  /** Ids of Nodes that do not answer. */
  readonly silent: Set<number>
  /** Whether the Node answers. */
  answers: boolean
  /** TCP ports on which every Process listens. */
  listeners: readonly number[]
}

export interface WorldOptions {
  readonly dialect?: DialectName
  /** An earlier world, whose store, machine and names this one has: another process of the same gateway. */
  readonly after?: World
  /** When that process dies. */
  readonly moment?: Moment
  /** What stands between that process and the store. */
  readonly behind?: (store: Store) => Store
}

async function addNodes(store: Store): Promise<number> {
  await addGatewayNode(store)
  const { id } = await addNode(store, { name: 'web-1', wireguard_ip: '10.44.0.7', tld: 'test' })
  return id
}

/** A gateway and one Node whose machine is three sets. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { after, moment, behind = (given) => given } = options
  const opened = after?.store ?? (await openTestStore(options.dialect ? { dialect: options.dialect } : {}))
  const id = after ? after.node.id : await addNodes(opened)
  const checkouts = after?.checkouts ?? new FakeCheckouts()
  const mortal = makeMortal(opened, checkoutPool(checkouts), moment)
  const store = behind(after ? mortal.store : opened)
  const machine: Machine = after?.machine ?? {
    leaves: new Map(),
    sites: new Map(),
    pools: new Set(),
    opened: new Map(),
    urls: new Map(),
  }
  const machines = new Map(after?.machines ?? [[id, machine]])
  const machineOf = ({ node: { id: nodeId } }: Pick<NodeSession, 'node'>): Machine => {
    const known = machines.get(nodeId) ?? {
      leaves: new Map(),
      sites: new Map(),
      pools: new Set(),
      opened: new Map(),
      urls: new Map(),
    }
    machines.set(nodeId, known)
    return known
  }
  const on = ({ node: { id: nodeId, name } }: Pick<NodeSession, 'node'>): string =>
    nodeId === id ? '' : `${name}: `
  const done: string[] = []
  const world: Pick<
    World,
    | 'machine'
    | 'machines'
    | 'silent'
    | 'names'
    | 'done'
    | 'builds'
    | 'broken'
    | 'worksAfter'
    | 'answers'
    | 'listeners'
    | 'php'
    | 'hasSchedule'
    | 'hasNoDirectories'
    | 'environments'
  > = {
    machine,
    machines,
    environments: after?.environments ?? new Map(),
    names: after?.names ?? new Set<string>(),
    done,
    builds: [],
    broken: new Map<Trouble, ErrorCode>(),
    answers: true,
    listeners: [],
    silent: checkouts.silent,
    worksAfter: undefined,
    php: '8.2',
    hasSchedule: false,
    hasNoDirectories: false,
  }
  const requireAnswer = ({ node: { id: nodeId, name } }: Pick<NodeSession, 'node'>): void => {
    if (world.silent.has(nodeId)) throw fail('node.unreachable', { details: { node: { id: nodeId, name } } })
  }
  /** Work on a machine: one command of the process. */
  const does = <T>(what: Trouble, said: string, work: () => T | Promise<T>): Promise<T> =>
    mortal.around(async () => {
      world.done.push(said)
      checkouts.asked.push(said)
      const code: ErrorCode | undefined = world.broken.get(what)
      if (code) {
        const { worksAfter } = world
        if (worksAfter?.what === what) {
          worksAfter.seen()
          worksAfter.times -= 1
          if (worksAfter.times === 0) world.broken.delete(what)
        }
        throw fail(code)
      }
      return work()
    })
  const certificates = {
    publishLeaf: async (session, { scope, names }) => {
      requireAnswer(session)
      await does('leaf', `${on(session)}leaf ${scope}`, () =>
        machineOf(session).leaves.set(scope, names.join(' ')),
      )
      return 'published'
    },
    withdrawLeaf: async (session, { scope }) => {
      requireAnswer(session)
      await does(
        'leaf gone',
        `${on(session)}no leaf ${scope}`,
        () => void machineOf(session).leaves.delete(scope),
      )
    },
    isLeafDue: async () => false,
    inspectServed: async () => undefined,
  } satisfies Partial<Certificates>
  const domains = testDomains({ store, ssh: mortal.ssh })
  const { nodes } = domains.nodes
  const node = await nodes.find(id)
  if (!node) throw new Error('the Node of the test is gone')
  const settings = { range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' }
  const source = makeSiteSource({ store, certificates, network: { settings: async () => settings } })
  const webServer: Pick<WebServer, 'build'> = {
    build: async (session) => {
      requireAnswer(session)
      const sites = await source.sitesOn(session.node)
      const machine = machineOf(session)
      await does(
        'site',
        `${on(session)}sites ${sites.map(({ domain }) => domain).join(' ') || 'none'}`,
        () => {
          for (const { tls } of sites)
            if (
              tls.kind === 'leaf' &&
              ![...machine.leaves.keys()].some((scope) => tls.file === leafFile(scope))
            )
              throw new Error(`${tls.file} is missing`)
          machine.sites.clear()
          for (const site of settleSites(sites)) machine.sites.set(placeOf(site), served(site))
          world.builds.push([...machine.sites].map((site) => site.join(' ')).join(', '))
        },
      )
      return 'applied'
    },
  }
  const network: Pick<Network, 'settings'> = { settings: async () => settings }
  const dns: Pick<Dns['names'], 'publish' | 'confirm' | 'idle'> = {
    // The lock is that of the real one, which answers nobody in a world without a hub.
    idle: domains.dns.names.idle,
    confirm: async (call) => {
      const before = [...world.names].join(' ')
      await dns.publish(call)
      return [...world.names].join(' ') === before ? 'unchanged' : 'changed'
    },
    publish: async () => {
      const names = (await routes.names.list()).map(({ domain }) => domain)
      await does('name', `names ${names.join(' ') || 'none'}`, () => {
        world.names.clear()
        for (const name of names) world.names.add(name)
      })
    },
  }
  const pools = makePoolSource({ store })
  const converge = async (current: NodeRecord): Promise<void> => {
    const { pools: running } = machineOf({ node: current })
    running.clear()
    for (const { name } of await pools.poolsOn(current)) running.add(name)
  }
  const php: RoutesParts['php'] = {
    production: {
      converge: (session, id) => does('pool', `${on(session)}service of ${id}`, () => undefined),
    },
    versionFor: (_session, { directory }) => does('php', `php of ${directory || '.'}`, () => world.php),
    publish: (session, { name }) =>
      does('pool', `${on(session)}pool ${name}`, () => {
        if (world.hasNoDirectories) throw fail('app-dev.php_pool_directory_missing')
        return converge(session.node)
      }),
    converge: async (session) => {
      await does('pool', `${on(session)}pools`, () => converge(session.node))
      return { outcome: 'applied', skipped: [] }
    },
  }
  const open = (opened: Map<string, readonly string[]>, path: string, webRoots: readonly string[]): void => {
    if (webRoots.length > 0) opened.set(path, webRoots)
    else for (const other of opened.keys()) if (`${other}/`.startsWith(`${path}/`)) opened.set(other, [])
  }
  const sources = makeServedSource({ store })
  const sourceAccess: SourceAccess = {
    check: (session, { checkoutPath, webRoot }) =>
      does('access', `${on(session)}check ${checkoutPath} ${webRoot}`, () => undefined),
    open: async (session, { checkoutPath, webRoots }) => {
      await does('access', `${on(session)}access ${checkoutPath}`, () =>
        open(machineOf(session).opened, checkoutPath, webRoots),
      )
      return { warnings: [] }
    },
    apply: async (session, path) => {
      const checkout = (await sources.servedOn(session.node)).find(
        ({ checkoutPath }) => checkoutPath === path,
      )
      await does(
        'access',
        `${on(session)}access`,
        () => void machineOf(session).opened.set(path, checkout?.webRoots ?? []),
      )
      return { warnings: [] }
    },
  }
  const applicationUrls: ApplicationUrls = {
    write: (session, { directory, url, home }) =>
      does('url', `${on(session)}url of ${directory || '.'} is ${url}${home ? ` in ${home}` : ''}`, () => {
        machineOf(session).urls.set(directory, url)
        return 'written'
      }),
  }
  const productionFiles: RoutesParts['productionFiles'] = {
    write: (_call, id, domain) =>
      does('url', `environment of ${id} under ${domain}`, () => {
        world.environments.set(id, domain)
        return 'written'
      }),
  }
  const answering: Nodes = {
    ...nodes,
    answers: async (_call, { id: asked }) => world.answers && !world.silent.has(asked),
  }
  const instances = makeInstances({
    store,
    clock: systemClock,
    ids: systemIds,
    nodes: answering,
    projects: domains.projects.projects,
    routes: later(() => routes.forInstances),
    runtime: {
      ...domains.processes.runtime,
      stop: async (...given) => {
        checkouts.asked.push('stop')
        await domains.processes.runtime.stop(...given)
      },
    },
    moves: {
      ...domains.processes.moves,
      hasSchedule: async (id) => world.hasSchedule || domains.schedules.hasTarget(id),
      relocate: async (db, id, { from, to }) => {
        await domains.databases.moveFiles(db, { from, to })
        await domains.environment.rewritePaths(db, id, { from: from.path, to: to.path })
      },
      rebuildEnvironment: async () => void checkouts.asked.push('environment'),
    },
    definitions: domains.instanceDefinitions,
    environments: domains.environment,
    files: {
      isNamed: async (id, file) =>
        (await domains.environment.namesPath(id, file.path)) || domains.databases.files.isAttached(id, file),
      isShared: domains.databases.files.isShared,
    },
    homes: domains.productionHomes,
    php: domains.php.production,
    databases: domains.databases.forCreation,
    copies: { ...domains.databases.forCopies, isCold: async () => false },
    protectedPaths: [],
  })
  const slept: number[] = []
  const parts: RoutesParts = {
    store,
    clock: {
      ...systemClock,
      sleep: (milliseconds) => mortal.around(async () => void slept.push(milliseconds)),
    },
    nodes: answering,
    clusters: domains.clusters.clusters,
    instances: instances.instances,
    network,
    php,
    sourceAccess,
    applicationUrls,
    productionFiles,
    certificates,
    webServer,
    names: dns,
    firewall: {
      applyRole: async (session) => {
        const isOpen = await routes.edge.servesPublicRoutes(session.node.id)
        await does('ports', `${on(session)}ports ${isOpen ? 'open' : 'closed'}`, () => {
          machineOf(session).isOpen = isOpen
        })
      },
    },
    processes: { find: domains.processes.processes.find, listenersOf: async () => world.listeners },
    paths: {
      verify: (session, { domain, addresses }) =>
        does('path', `${on(session)}path of ${domain} to ${addresses.join(' ') || 'none'}`, () => undefined),
    },
  }
  const routes = makeRoutes(parts)
  return Object.assign(world, {
    store,
    mortal,
    checkouts,
    parts,
    routes,
    instances,
    environment: domains.environment,
    node,
    slept,
    [Symbol.asyncDispose]: async () => {
      if (!after) await store[Symbol.asyncDispose]()
    },
  })
}

/** The domain, and the socket for a site that has no address, or the addresses of one that is for everybody. */
const placeOf = ({ domain, listener, tls }: Site): string => {
  if (listener.kind === 'unix') return `${domain} ${listener.path}`
  return tls.kind === 'automatic' ? `${domain} at ${listener.addresses.join(' ')}` : domain
}

const served = ({ handler }: Site): string => {
  if (handler.kind === 'files') return `${handler.root}${handler.php ? ` ${handler.php}` : ''}`
  if (handler.kind !== 'pool') return handler.kind
  return `pool ${handler.targets.map((target) => (target.kind === 'unix' ? target.path : target.address)).join(' ')}`
}

/** Routes are made from Instances, and Instances from them. */
const later = (routes: () => InstanceRoutes): InstanceRoutes =>
  new Proxy({} as InstanceRoutes, { get: (_target, name: keyof InstanceRoutes) => routes()[name] }) // Asked member by member.

export const UPSTREAM = 'http://127.0.0.1:8025'

/** `route:create` of a custom proxy on the Node of the world. */
export const create = (world: World, given: Record<string, unknown> = {}, call = fakeCall()) =>
  world.routes.handlers['route:create']({
    call,
    input: { domain: 'mail.internal', node_id: world.node.id, upstream: UPSTREAM, ...given },
  })

/** `route:create` of a Route to an Instance. */
export const createFor = (
  world: World,
  instance_id: number,
  given: Partial<InputOf<'route:create'>> = {},
  call = fakeCall(),
) =>
  world.routes.handlers['route:create']({
    call,
    input: { domain: 'admin.example', instance_id, ...given },
  })

export const update = (
  world: World,
  route: number,
  given: Omit<InputOf<'route:update'>, 'route'>,
  call = fakeCall(),
) => world.routes.handlers['route:update']({ call, input: { route, ...given } })

export const setTarget = (world: World, route: number, instance_id: number, call = fakeCall()) =>
  world.routes.handlers['route:target:set']({ call, input: { route, instance_id } })

export const setTargets = (
  world: World,
  route: number,
  targets: readonly number[],
  given: Pick<InputOf<'route:target:set'>, 'dispositions'> = {},
  call = fakeCall(),
) =>
  world.routes.handlers['route:target:set']({
    call,
    input: { route, targets: [...targets], ...given },
  })

export const unsetTarget = (world: World, route: number, call = fakeCall()) =>
  world.routes.handlers['route:target:unset']({ call, input: { route } })

export const destroy = (world: World, route: number, offline = false, call = fakeCall()) =>
  world.routes.handlers['route:destroy']({ call, input: { route, offline } })

/** A Project whose Instances are served. */
export const addApp = (world: World, given: Parameters<typeof addProject>[1] = {}) =>
  addProject(world.store, {
    slug: 'shop',
    type: 'laravel-app',
    root: 'public',
    repository_url: 'https://example.com/app.git',
    ...given,
  })

/** `instance:create` of a Project on the Node of the world. */
export const createInstance = (
  world: World,
  given: Partial<InputOf<'instance:create'>> & { readonly project_id: number },
  call = fakeCall(),
) => {
  const input = { node_id: world.node.id, name: 'default', ...given }
  return world.instances.handlers['instance:create']({ call, input })
}

export const destroyInstance = (
  world: World,
  instance: number,
  given: { readonly force?: boolean; readonly offline?: boolean } = {},
  call = fakeCall(),
) => world.instances.handlers['instance:destroy']({ call, input: { instance, ...given } })
