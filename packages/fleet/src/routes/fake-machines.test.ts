import { type ErrorCode, fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Domains, FakeCheckouts } from '@fleet/testing'
import type { Mortal } from '@fleet/testing/death'
import { type Certificates, leafFile } from '#/certificates/api.ts'
import type { RouteNames } from '#/dns/api.ts'
import type { PublicRoutes } from '#/firewall/api.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import { makePoolSource, makeServedSource, makeSiteSource } from '#/routes/api.ts'
import { CADDY_UNIT, settleSites, type Site } from '#/web-server/api.ts'

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

/** What machines are like, and what happened on them. */
export interface State {
  /** What the live file served after each build. */
  readonly builds: string[]
  /** Schedules that have every Instance as their target. */
  schedules: readonly { readonly id: string; readonly name: string }[]
  /** Ids of Nodes that cannot run the Processes of any Instance. */
  readonly lacksDocker: Set<number>
  /** Every `.env` has keys that are not stored. */
  hasKeysOfItsOwn: boolean
  /** The directories of all pools are gone. */
  hasNoDirectories: boolean
  /** Nodes of the embedded fleet, which run no PHP. */
  runsNoPhp: boolean
  /** What the Node's PHP answers for every source. */
  php: string | null
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
  /** Where every Process listens. */
  listeners: Awaited<ReturnType<Domains['processes']['processes']['listenersOf']>>
}

/** What the machines of one process of a gateway belong to. */
export interface Surroundings {
  /** Id of the Node whose name is not said. */
  readonly id: number
  readonly store: Store
  readonly mortal: Mortal
  readonly checkouts: FakeCheckouts
  readonly state: State
  /** By the id of their Node; who is not here yet is added. */
  readonly machines: Map<number, Machine>
  /** What private DNS is to answer, and whose ports are to be open, by the records. */
  readonly names: RouteNames['list']
  readonly isPublic: PublicRoutes['servesPublicRoutes']
}

const SETTINGS = { range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' }

export const newMachine = (): Machine => ({
  leaves: new Map(),
  sites: new Map(),
  pools: new Set(),
  opened: new Map(),
  urls: new Map(),
})

/** What stands in the place of the domains that act on machines: sets and maps that remember what was done. */
export function fakeMachines(surroundings: Surroundings, real: Domains): Partial<Domains> {
  const on = machinesOf(surroundings)
  const certificates = { ...real.certificates, ...fakeLeaves(on) }
  return {
    nodes: { ...real.nodes, nodes: answering(on, real) },
    network: { ...real.network, settings: async () => SETTINGS },
    certificates,
    webServer: { ...real.webServer, build: fakeBuild(on, certificates) },
    dns: { ...real.dns, names: { ...real.dns.names, ...fakeNames(on) } },
    php: fakePhp(on, real),
    sourceAccess: fakeAccess(on),
    applicationUrls: {
      write: (session, { directory, url, home }) =>
        on.does(
          'url',
          `${on.name(session)}url of ${directory || '.'} is ${url}${home ? ` in ${home}` : ''}`,
          () => {
            on.machine(session).urls.set(directory, url)
            return 'written'
          },
        ),
    },
    privatePaths: {
      verify: (session, { domain, addresses }) =>
        on.does(
          'path',
          `${on.name(session)}path of ${domain} to ${addresses.join(' ') || 'none'}`,
          () => undefined,
        ),
    },
    firewall: fakeFirewall(on, real),
    ...fakeWork(on, real),
  }
}

interface Machines extends Surroundings {
  machine(session: Pick<NodeSession, 'node'>): Machine
  /** Put before what is done on another Node. */
  name(session: Pick<NodeSession, 'node'>): string
  requireAnswer(session: Pick<NodeSession, 'node'>): void
  /** Work on a machine: one command of the process. */
  does<T>(what: Trouble, said: string, work: () => T | Promise<T>): Promise<T>
}

function machinesOf(surroundings: Surroundings): Machines {
  const { id, mortal, checkouts, state, machines } = surroundings
  const refuse = (code: ErrorCode, what: Trouble): never => {
    const { worksAfter } = state
    if (worksAfter?.what === what) {
      worksAfter.seen()
      worksAfter.times -= 1
      if (worksAfter.times === 0) state.broken.delete(what)
    }
    throw fail(code)
  }
  return {
    ...surroundings,
    machine: ({ node }) => {
      const known = machines.get(node.id) ?? newMachine()
      machines.set(node.id, known)
      return known
    },
    name: ({ node }) => (node.id === id ? '' : `${node.name}: `),
    requireAnswer: ({ node: { id: nodeId, name } }) => {
      if (state.silent.has(nodeId))
        throw fail('node.unreachable', { details: { node: { id: nodeId, name } } })
    },
    does: (what, said, work) =>
      mortal.around(async () => {
        state.done.push(said)
        checkouts.asked.push(said)
        const code = state.broken.get(what)
        return code ? refuse(code, what) : work()
      }),
  }
}

const answering = ({ state }: Machines, { nodes: { nodes } }: Domains): Domains['nodes']['nodes'] => ({
  ...nodes,
  answers: async (_call, { id }) => state.answers && !state.silent.has(id),
})

const fakeLeaves = (on: Machines) =>
  ({
    publishLeaf: async (session, { scope, names, reload, isLoadedLater }) => {
      if (reload !== CADDY_UNIT || !isLoadedLater)
        throw new Error(`no build knows that ${scope} waits for it`)
      on.requireAnswer(session)
      await on.does('leaf', `${on.name(session)}leaf ${scope}`, () =>
        on.machine(session).leaves.set(scope, names.join(' ')),
      )
      return 'published'
    },
    withdrawLeaf: async (session, { scope }) => {
      on.requireAnswer(session)
      await on.does(
        'leaf gone',
        `${on.name(session)}no leaf ${scope}`,
        () => void on.machine(session).leaves.delete(scope),
      )
    },
    isLeafDue: async () => false,
    inspectServed: async () => undefined,
  }) satisfies Partial<Certificates>

function fakeBuild(on: Machines, certificates: Certificates): Domains['webServer']['build'] {
  const source = makeSiteSource({
    store: on.store,
    certificates,
    network: { settings: async () => SETTINGS },
  })
  return async (session) => {
    on.requireAnswer(session)
    const sites = await source.sitesOn(session.node)
    const { leaves, sites: live } = on.machine(session)
    const domains = sites.map(({ domain }) => domain).join(' ') || 'none'
    await on.does('site', `${on.name(session)}sites ${domains}`, () => {
      for (const { tls } of sites)
        if (tls.kind === 'leaf' && ![...leaves.keys()].some((scope) => tls.file === leafFile(scope)))
          throw new Error(`${tls.file} is missing`)
      live.clear()
      for (const site of settleSites(sites)) live.set(placeOf(site), served(site))
      on.state.builds.push([...live].map((site) => site.join(' ')).join(', '))
    })
    return 'applied'
  }
}

/** The lock stays that of the real one, which answers nobody in a world without a hub. */
function fakeNames(on: Machines): Pick<Domains['dns']['names'], 'publish' | 'confirm'> {
  const answered = on.state.names
  const publish = async (): Promise<void> => {
    const names = (await on.names()).map(({ domain }) => domain)
    await on.does('name', `names ${names.join(' ') || 'none'}`, () => {
      answered.clear()
      for (const name of names) answered.add(name)
    })
  }
  return {
    publish,
    confirm: async () => {
      const before = [...answered].join(' ')
      await publish()
      return [...answered].join(' ') === before ? 'unchanged' : 'changed'
    },
  }
}

function fakePhp(on: Machines, { php }: Domains): Domains['php'] {
  const pools = makePoolSource({ store: on.store })
  const converge = async (node: NodeRecord): Promise<void> => {
    const { pools: running } = on.machine({ node })
    running.clear()
    for (const { name } of await pools.poolsOn(node)) running.add(name)
  }
  return {
    ...php,
    production: {
      ...php.production,
      converge: (session, id) =>
        on.does('pool', `${on.name(session)}service of ${id}`, () => {
          if (on.state.hasNoDirectories)
            throw fail('app-prod.php_runtime_failed', { details: { stage: 'directory' } })
        }),
      convergeFound: (session, id) => on.does('pool', `${on.name(session)}service of ${id}`, () => undefined),
      remove: async () => undefined,
    },
    requireServable: async () => {
      if (on.state.runsNoPhp) throw fail('node.capability_missing')
    },
    versionFor: (_session, { directory, recorded = null }) =>
      on.does('php', `php of ${directory || '.'}`, () => {
        if (recorded !== null && recorded !== on.state.php)
          throw fail('app-dev.php_package_source_unavailable')
        return on.state.php
      }),
    versionThere: (session, { directory }) =>
      on.does('php', `${on.name(session)}php there of ${directory || '.'}`, () => on.state.php),
    publish: (session, { name }) =>
      on.does('pool', `${on.name(session)}pool ${name}`, () => {
        if (on.state.hasNoDirectories) throw fail('app-dev.php_pool_directory_missing')
        return converge(session.node)
      }),
    converge: async (session) => {
      await on.does('pool', `${on.name(session)}pools`, () => converge(session.node))
      return { outcome: 'applied', skipped: [] }
    },
  }
}

function fakeAccess(on: Machines): Domains['sourceAccess'] {
  const sources = makeServedSource({ store: on.store })
  return {
    check: (session, { checkoutPath, webRoot }) =>
      on.does('access', `${on.name(session)}check ${checkoutPath} ${webRoot}`, () => undefined),
    open: async (session, { checkoutPath, webRoots }) => {
      await on.does('access', `${on.name(session)}access ${checkoutPath}`, () => {
        requireSource(on, webRoots)
        const { opened } = on.machine(session)
        if (webRoots.length > 0) opened.set(checkoutPath, webRoots)
        else
          for (const other of opened.keys())
            if (`${other}/`.startsWith(`${checkoutPath}/`)) opened.set(other, [])
      })
      return { warnings: [] }
    },
    apply: async (session, path) => {
      const served = await sources.servedOn(session.node)
      const webRoots = served.find(({ checkoutPath }) => checkoutPath === path)?.webRoots ?? []
      await on.does('access', `${on.name(session)}access`, () => {
        requireSource(on, webRoots)
        on.machine(session).opened.set(path, webRoots)
      })
      return { warnings: [] }
    },
  }
}

/** Without anything to serve, a directory that is gone is as it should be. */
function requireSource({ state }: Machines, webRoots: readonly string[]): void {
  if (!state.hasNoDirectories || webRoots.length === 0) return
  throw fail('app-dev.source_access_failed', {
    details: { step: 'source-access', reason: 'checkout_missing' },
  })
}

const fakeFirewall = (on: Machines, { firewall }: Domains): Domains['firewall'] => ({
  ...firewall,
  firewall: {
    ...firewall.firewall,
    onNodes: {
      ...firewall.firewall.onNodes,
      applyRole: async (session) => {
        const isOpen = await on.isPublic(session.node.id)
        await on.does('ports', `${on.name(session)}ports ${isOpen ? 'open' : 'closed'}`, () => {
          on.machine(session).isOpen = isOpen
        })
      },
    },
  },
})

/** What runs of an Instance, and its `.env`. */
function fakeWork(on: Machines, real: Domains) {
  const { processes, schedules, environment, hibernation } = real
  const { state, checkouts } = on
  return {
    processes: {
      ...processes,
      processes: { ...processes.processes, listenersOf: async () => state.listeners },
      moves: {
        ...processes.moves,
        requireRunnable: async ({ node }) => {
          if (state.lacksDocker.has(node.id)) throw fail('node.capability_missing')
        },
      },
      runtime: {
        ...processes.runtime,
        stop: async (...given) => {
          checkouts.asked.push('stop')
          await processes.runtime.stop(...given)
        },
      },
    },
    schedules: {
      ...schedules,
      ofInstance: async (id) => [
        ...state.schedules.map((schedule) => ({ ...schedule, desired_timer_state: 'enabled' as const })),
        ...(await schedules.ofInstance(id)),
      ],
    },
    hibernation: { ...hibernation, isCold: async () => false },
    environment: {
      ...environment,
      isStored: async () => true,
      requireSynchronizable: async () => {
        if (state.hasKeysOfItsOwn) throw fail('env.sync_would_drop_keys')
      },
      synchronizeUnder: async () => {
        checkouts.asked.push('environment')
        if (state.hasKeysOfItsOwn) throw fail('env.sync_would_drop_keys')
      },
      replaceUnder: (_call, id, domain) =>
        on.does('url', `environment of ${id} under ${domain}`, () => void state.environments.set(id, domain)),
    },
  } satisfies Partial<Domains>
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
