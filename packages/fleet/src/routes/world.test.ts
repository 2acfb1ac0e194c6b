import { type ErrorCode, fail } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { addGatewayNode, addNode, fakeCall, openTestStore, testDomains } from '@fleet/testing'
import type { Certificates } from '#/certificates/api.ts'
import type { Dns } from '#/dns/api.ts'
import type { Network } from '#/network/api.ts'
import type { NodeRecord, Nodes } from '#/nodes/api.ts'
import { makeRoutes, makeSiteSource, type RoutesDomain } from '#/routes/api.ts'
import type { RoutesParts } from '#/routes/parts.ts'
import type { WebServer } from '#/web-server/api.ts'

/** What a Node has of Routes, as steps left it. */
export interface Machine {
  readonly leaves: Set<string>
  /** Domains of the live file. */
  readonly sites: Set<string>
}

export interface World extends AsyncDisposable {
  readonly store: Store
  readonly parts: RoutesParts
  readonly routes: RoutesDomain
  readonly node: NodeRecord
  readonly machine: Machine
  /** Names that the private DNS answers. */
  readonly names: Set<string>
  /** What happened on machines, in order. */
  readonly done: string[]
  /** The next one of these fails with the code, until it is taken away. */
  readonly broken: Map<'leaf' | 'site' | 'name' | 'leaf gone', ErrorCode>
  /** Whether the Node answers. */
  answers: boolean
}

/** A gateway and one Node whose machine is three sets. */
export async function startWorld(given: Partial<NodeRecord> = {}): Promise<World> {
  const store = await openTestStore()
  await addGatewayNode(store)
  const { id } = await addNode(store, {
    name: 'web-1',
    wireguard_ip: '10.44.0.7',
    status: given.status ?? 'active',
  })
  const machine: Machine = { leaves: new Set(), sites: new Set() }
  const done: string[] = []
  const world = { machine, names: new Set<string>(), done, broken: new Map(), answers: true }
  const does = (what: 'leaf' | 'site' | 'name' | 'leaf gone', said: string): void => {
    world.done.push(said)
    const code: ErrorCode | undefined = world.broken.get(what)
    if (code) throw fail(code)
  }
  const certificates = {
    publishLeaf: async (_session, { scope }) => {
      does('leaf', `leaf ${scope}`)
      machine.leaves.add(scope)
      return 'published'
    },
    withdrawLeaf: async (_session, { scope }) => {
      does('leaf gone', `no leaf ${scope}`)
      machine.leaves.delete(scope)
    },
    isLeafDue: async () => false,
    inspectServed: async () => undefined,
  } satisfies Partial<Certificates>
  const domains = testDomains({ store })
  const { nodes } = domains.nodes
  const node = await nodes.find(id)
  if (!node) throw new Error('the Node of the test is gone')
  const source = makeSiteSource({ store, certificates })
  const webServer: Pick<WebServer, 'build'> = {
    build: async (session) => {
      const domainsNow = (await source.sitesOn(session.node)).map(({ domain }) => domain)
      does('site', `sites ${domainsNow.join(' ') || 'none'}`)
      machine.sites.clear()
      for (const domain of domainsNow) machine.sites.add(domain)
      return 'applied'
    },
  }
  const settings = { range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' }
  const network: Pick<Network, 'settings'> = { settings: async () => settings }
  const dns: Pick<Dns['names'], 'publish'> = {
    publish: async () => {
      const names = (await routes.names.list()).map(({ domain }) => domain)
      does('name', `names ${names.join(' ') || 'none'}`)
      world.names.clear()
      for (const name of names) world.names.add(name)
    },
  }
  const answering: Nodes = { ...nodes, answers: async () => world.answers }
  const parts: RoutesParts = {
    store,
    clock: systemClock,
    nodes: answering,
    clusters: domains.clusters.clusters,
    instances: domains.instances.instances,
    network,
    certificates,
    webServer,
    names: dns,
  }
  const routes = makeRoutes(parts)
  return Object.assign(world, {
    store,
    parts,
    routes,
    node,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  })
}

export const UPSTREAM = 'http://127.0.0.1:8025'

/** `route:create` of a custom proxy on the Node of the world. */
export const create = (world: World, given: Record<string, unknown> = {}, call = fakeCall()) =>
  world.routes.handlers['route:create']({
    call,
    input: { domain: 'mail.internal', node_id: world.node.id, upstream: UPSTREAM, ...given },
  })

export const destroy = (world: World, route: number, offline = false, call = fakeCall()) =>
  world.routes.handlers['route:destroy']({ call, input: { route, offline } })
