import { noLog } from '@fleet/steps'
import { testStepList } from '@fleet/steps/testing'
import type { Database, Store } from '@fleet/store'
import { fakeCall } from '@fleet/testing'
import type { ClusterRoutes, MovingRoute, ScopeChange } from '#/clusters/ports.ts'
import type { ClusterRecord } from '#/clusters/record.ts'
import { clusterCutover, type RouteMoves } from './cutover.ts'

interface Given extends RouteMoves {
  /** What names answer and what the record says: the top-level domain of the Cluster; and the domain of its one Route. */
  readonly world: { published: string | null; stored: string | null; domain: string }
}

const ROUTER: ClusterRecord['members'][number] = {
  id: 8,
  name: 'edge',
  status: 'active',
  tld: null,
  cluster_id: 1,
  wireguard_ip: '10.44.0.8',
  lan_ip: null,
  routerStatus: 'active',
  hasIngress: false,
}

const clusterWith = (tld: string): ClusterRecord => ({
  id: 1,
  name: 'a',
  tld,
  state: 'active',
  created_at: '2026-01-02T03:04:05.000Z',
  members: [ROUTER],
})
const scope = (tld: string) => ({ clusterId: 1, tld })
const change: ScopeChange = {
  clusterId: 1,
  moves: [{ nodeId: 7, before: scope('old'), after: scope('new') }],
}

const routeOf = ({ domain }: Given['world']): MovingRoute => ({
  id: 5,
  domain,
  nodeId: 7,
  isGenerated: true,
  isServedInPublic: false,
  isMovable: true,
})

/** The request of a Cluster whose top-level domain changes; nothing of it is recorded before it is stored. */
function request(world: Given['world']): Given {
  const routes: Pick<ClusterRoutes, 'concerned' | 'replace' | 'publish' | 'store' | 'restore' | 'settle'> = {
    concerned: async () => [routeOf(world)],
    replace: async (_call, changes) => {
      for (const { domain } of changes) world.domain = domain
      return [5]
    },
    store: async () => undefined,
    restore: async () => undefined,
    publish: async (_call, { moves }) => void (world.published = moves[0]?.after.tld ?? null),
    settle: async () => void (world.published = world.stored),
  }
  return {
    world,
    routes: routes as ClusterRoutes, // Only what the steps call.
    // No database: what is stored is the world itself.
    store: { transaction: (work: (db: Database) => Promise<unknown>) => work({} as Database) } as Store,
    scopes: { hold: async () => new Map(), require: async () => undefined },
    routeIds: [5],
    renames:
      world.domain === 'shop.new' ? [] : [{ routeId: 5, domain: 'shop.new', domainBefore: 'shop.old' }],
    call: fakeCall(),
    change,
    before: clusterWith('old'),
    after: clusterWith('new'),
    write: async () => void (world.stored = 'new'),
    restore: async () => void (world.stored = 'old'),
    isPublished: false,
    isStored: false,
  }
}

testStepList('cluster-cutover', {
  list: clusterCutover,
  fresh: () => request({ published: 'old', stored: 'old', domain: 'shop.old' }),
  view: ({ world }: Given) => world,
  log: () => noLog,
  again: ({ world }) => request(world),
})
