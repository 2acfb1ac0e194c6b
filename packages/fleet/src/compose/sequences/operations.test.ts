import { fakeCall } from '@fleet/testing'
import type { Row } from '@fleet/store'
import { MINE } from '#/compose/sequences/scripts.test.ts'
import type { Outcome } from '#/handler.ts'
import type { Gateway, Town } from '#/compose/sequences/town.test.ts'

/** Numbers that choose among what there is when the operation runs. */
export interface Choice {
  readonly kind: OperationName
  readonly picks: readonly number[]
  /** What goes wrong the first time. */
  readonly harm: Harm | undefined
}

/** A remote command that fails, before it ran or with its answer lost, or a process that dies; counted from 1. */
export interface Harm {
  readonly kind: 'before' | 'after' | 'beforeWrite' | 'beforeCommand' | 'afterCommand'
  readonly at: number
}

/** What a request can name. */
interface Records {
  readonly town: Town
  readonly projects: ReadonlyArray<Row<'projects'>>
  readonly instances: ReadonlyArray<Row<'instances'>>
  readonly clusters: ReadonlyArray<Row<'clusters'>>
  readonly routes: ReadonlyArray<Row<'routes'>>
  /** One of these, by the next number. */
  pick<T>(all: readonly T[]): T | undefined
}

/** A request as it was decided: it can be sent again. */
export type Request = (gateway: Gateway) => Promise<unknown>
type Operation = (records: Records) => Request | undefined

const TYPES = ['laravel-app', 'symfony-app', 'monorepo', 'node-package'] as const
const SLUGS = ['shop', 'blog', 'wiki'] as const
const NAMES = ['default', 'next', 'beta'] as const
const CLONES = ['live', 'canary'] as const
const DOMAINS = ['one.example', 'two.example', 'three.example', 'four.example'] as const
const TLDS = ['lan', 'corp'] as const

const withId = <T extends { readonly id: number }>(
  one: T | undefined,
  work: (id: number, one: T) => Request,
) => one && work(one.id, one)
const call = fakeCall
const isProduction = ({ environment }: Row<'instances'>): boolean => environment === 'production'
/** What fails once the stream is open is its last line, and no error. */
async function endOf(running: Promise<Outcome<unknown>>): Promise<void> {
  const { failure } = await running
  if (failure) throw failure
}
const isDevelopment = ({ environment }: Row<'instances'>): boolean => environment === 'development'

export const OPERATIONS = {
  'project:create': ({ pick }) => {
    const [slug = 'shop', type = 'laravel-app'] = [pick(SLUGS), pick(TYPES)]
    const input = { slug, type, root: 'public', repository_url: `https://git.example.com/acme/${slug}.git` }
    return ({ domains }) => domains.projects.handlers['project:create']({ call: call(), input })
  },
  'project:update': ({ pick, projects }) => {
    const slug = pick(SLUGS)
    return withId(
      pick(projects),
      (project) =>
        ({ domains }) =>
          domains.projects.handlers['project:update']({
            call: call(),
            input: { project, slug: slug ?? 'shop' },
          }),
    )
  },
  'project:destroy': ({ pick, projects }) =>
    withId(
      pick(projects),
      (project) =>
        ({ domains }) =>
          domains.projects.handlers['project:destroy']({ call: call(), input: { project } }),
    ),
  'instance:create': ({ pick, projects, town }) => {
    const [node_id = 0, name = 'default'] = [pick(town.nodes.slice(0, 2)), pick(NAMES)]
    return withId(
      pick(projects),
      (project_id) =>
        ({ domains }) =>
          domains.instances.handlers['instance:create']({
            call: call(),
            input: { project_id, node_id, name, branch: 'main' },
          }),
    )
  },
  'instance:rename': ({ pick, instances }) => {
    const domain = pick(DOMAINS) ?? ''
    return withId(
      pick(instances.filter(isDevelopment)),
      (id) =>
        ({ domains }) =>
          domains.instances.handlers['instance:rename']({ call: call(), input: { instance: id, domain } }),
    )
  },
  'instance:transfer': ({ pick, instances, town }) => {
    const node_id = pick(town.nodes.slice(0, 2)) ?? 0
    return withId(
      pick(instances.filter(isDevelopment)),
      (id) =>
        ({ domains }) =>
          domains.instances.handlers['instance:transfer']({ call: call(), input: { instance: id, node_id } }),
    )
  },
  'instance:destroy': ({ pick, instances }) => {
    const force = pick([true, false]) ?? false
    return withId(
      pick(instances),
      (id) =>
        ({ domains }) =>
          domains.instances.handlers['instance:destroy']({ call: call(), input: { instance: id, force } }),
    )
  },
  'instance:destroy offline': ({ pick, instances, town }) => {
    const [other = 0, isOwn] = [pick(town.nodes), pick([true, true, false])]
    const input = { force: true, offline: true } as const
    return withId(
      pick(instances),
      (instance, { node_id }) =>
        ({ domains }) =>
          town.machines.without(isOwn ? node_id : other, () =>
            domains.instances.handlers['instance:destroy']({ call: call(), input: { instance, ...input } }),
          ),
    )
  },
  'instance:register': ({ pick, projects, town }) => {
    const [at = 0, folder = 0] = [pick([0, 1]), pick([1, 2, 3, 4, 5, 6])]
    const caller = { id: town.nodes[at] ?? 0, name: `dev-${at + 1}`, address: '', isGateway: false }
    return withId(pick(projects), (project_id, { repository_url }) => {
      const slug = repository_url?.replace(/^.*\//, '').replace(/\.git$/, '') ?? ''
      const input = { project_id, source_path: `${MINE}/${folder}/${slug}`, instance_name: `mine-${folder}` }
      return ({ domains }) =>
        domains.instances.handlers['instance:register']({ call: fakeCall({ caller }), input })
    })
  },
  'instance:clone': ({ pick, instances, town }) => {
    const [node_id = 0, name = 'live'] = [pick(town.nodes.slice(2, 4)), pick(CLONES)]
    return withId(
      pick(instances.filter(isDevelopment)),
      (candidate) =>
        ({ domains }) =>
          domains.instances.handlers['instance:clone']({
            call: call(),
            input: { candidate, node_id, name, preview_name: name },
          }),
    )
  },
  'instance:deploy': ({ pick, instances }) =>
    withId(
      pick(instances.filter(isProduction)),
      (instance) =>
        ({ domains }) =>
          endOf(domains.deployments.handlers['instance:deploy']({ call: call(), input: { instance } })),
    ),
  'instance:rollback': ({ pick, instances, town }) =>
    withId(pick(instances.filter(isProduction)), (instance, { node_id, production_home: home }) => {
      const release = pick(town.machines.of(node_id).homes.completeIn(home ?? '')) ?? 'none'
      return ({ domains }) =>
        endOf(
          domains.deployments.handlers['instance:rollback']({ call: call(), input: { instance, release } }),
        )
    }),
  'cluster:create': ({ pick }) => {
    const tld = pick(TLDS) ?? 'lan'
    return ({ domains }) =>
      domains.clusters.handlers['cluster:create']({ call: call(), input: { name: `of ${tld}`, tld } })
  },
  'cluster:update': ({ pick, clusters }) => {
    const change = pick([
      { state: 'active' },
      { state: 'active' },
      { state: 'inactive' },
      { tld: 'lan' },
      { tld: 'corp' },
    ])
    return withId(
      pick(clusters),
      (cluster) =>
        ({ domains }) =>
          domains.clusters.handlers['cluster:update']({ call: call(), input: { cluster, ...change } }),
    )
  },
  'cluster:node:attach': ({ pick, clusters, town }) => {
    const node = pick(town.nodes) ?? 0
    return withId(
      pick(clusters),
      (cluster) =>
        ({ domains }) =>
          domains.clusters.handlers['cluster:node:attach']({ call: call(), input: { cluster, node } }),
    )
  },
  'cluster:node:detach': ({ pick, clusters, town }) => {
    const node = pick(town.nodes) ?? 0
    return withId(
      pick(clusters),
      (cluster) =>
        ({ domains }) =>
          domains.clusters.handlers['cluster:node:detach']({ call: call(), input: { cluster, node } }),
    )
  },
  'cluster:router:set': ({ pick, clusters, town }) => {
    const node = pick(town.nodes) ?? 0
    return withId(
      pick(clusters),
      (cluster) =>
        ({ domains }) =>
          domains.clusters.handlers['cluster:router:set']({ call: call(), input: { cluster, node } }),
    )
  },
  'cluster:router:clear': ({ pick, clusters }) =>
    withId(
      pick(clusters),
      (cluster) =>
        ({ domains }) =>
          domains.clusters.handlers['cluster:router:clear']({ call: call(), input: { cluster } }),
    ),
  'cluster:destroy': ({ pick, clusters }) =>
    withId(
      pick(clusters),
      (cluster) =>
        ({ domains }) =>
          domains.clusters.handlers['cluster:destroy']({ call: call(), input: { cluster } }),
    ),
  'node:role:add': ({ pick, town }) => {
    const node = pick(town.nodes) ?? 0
    return ({ domains }) =>
      domains.roleHandlers['node:role:add']({ call: call(), input: { node, role: 'ingress' } })
  },
  'node:role:remove': ({ pick, town }) => {
    const node = pick(town.nodes) ?? 0
    return ({ domains }) =>
      domains.roleHandlers['node:role:remove']({ call: call(), input: { node, role: 'ingress' } })
  },
  'route:create': ({ pick, instances, town }) => {
    const domain = pick(DOMAINS) ?? ''
    const isProxy = pick([true, false, false])
    const node_id = pick(town.nodes) ?? 0
    const publication = pick(['private', 'private', 'public'] as const) ?? 'private'
    const proxy = { node_id, upstream: 'http://127.0.0.1:8025' }
    const instance_id = pick(instances)?.id
    const web_root = pick([undefined, undefined, 'public', 'admin/public'])
    const to = isProxy ? proxy : { instance_id, publication, ...(web_root === undefined ? {} : { web_root }) }
    if (!isProxy && instance_id === undefined) return undefined
    return ({ domains }) =>
      domains.routes.handlers['route:create']({ call: call(), input: { domain, ...to } })
  },
  'route:update domain': ({ pick, routes }) => {
    const domain = pick(DOMAINS) ?? ''
    return withId(
      pick(routes),
      (route) =>
        ({ domains }) =>
          domains.routes.handlers['route:update']({ call: call(), input: { route, domain } }),
    )
  },
  'route:update publication': ({ pick, routes }) => {
    const publication = pick(['private', 'public'] as const) ?? 'private'
    return withId(
      pick(routes),
      (route) =>
        ({ domains }) =>
          domains.routes.handlers['route:update']({ call: call(), input: { route, publication } }),
    )
  },
  'route:update web root': ({ pick, routes }) => {
    const web_root = pick([null, 'public', 'admin/public']) ?? null
    return withId(
      pick(routes),
      (route) =>
        ({ domains }) =>
          domains.routes.handlers['route:update']({ call: call(), input: { route, web_root } }),
    )
  },
  'route:target:set': ({ pick, routes, instances }) => {
    const instance_id = pick(instances)?.id ?? 0
    return withId(
      pick(routes),
      (route) =>
        ({ domains }) =>
          domains.routes.handlers['route:target:set']({ call: call(), input: { route, instance_id } }),
    )
  },
  'route:target:set several': ({ pick, routes, instances }) => {
    const production = instances.filter(isProduction).map(({ id }) => id)
    const targets = production.filter(() => pick([true, false]))
    const free = pick(routes.filter(({ provenance }) => provenance === 'explicit'))?.id
    const dispositions = production
      .filter((id) => !targets.includes(id))
      .flatMap((instance_id) => (free === undefined ? [] : [{ instance_id, route_id: free }]))
    const given = pick([{}, {}, { dispositions }])
    return withId(
      pick(routes),
      (route) =>
        ({ domains }) =>
          domains.routes.handlers['route:target:set']({ call: call(), input: { route, targets, ...given } }),
    )
  },
  'route:target:unset': ({ pick, routes }) =>
    withId(
      pick(routes),
      (route) =>
        ({ domains }) =>
          domains.routes.handlers['route:target:unset']({ call: call(), input: { route } }),
    ),
  'route:destroy': ({ pick, routes }) =>
    withId(
      pick(routes),
      (route) =>
        ({ domains }) =>
          domains.routes.handlers['route:destroy']({ call: call(), input: { route, offline: false } }),
    ),
  'route:destroy offline': ({ pick, routes, town }) => {
    const node = pick(town.nodes) ?? 0
    return withId(
      pick(routes),
      (route) =>
        ({ domains }) =>
          town.machines.without(node, () =>
            domains.routes.handlers['route:destroy']({ call: call(), input: { route, offline: true } }),
          ),
    )
  },
} as const satisfies Record<string, Operation>
export type OperationName = keyof typeof OPERATIONS

/** How often each is chosen beside the others; what is not here, twice. */
export const WEIGHTS: Readonly<Partial<Record<OperationName, number>>> = {
  'project:destroy': 1,
  'cluster:create': 1,
  'cluster:destroy': 1,
  'cluster:router:clear': 1,
  'node:role:remove': 1,
  'instance:create': 4,
  'instance:rename': 4,
  'instance:transfer': 4,
  'instance:deploy': 5,
  'instance:rollback': 3,
  'cluster:node:attach': 4,
  'cluster:node:detach': 3,
  'cluster:router:set': 3,
  'cluster:update': 4,
  'route:create': 5,
  'route:update domain': 5,
  'route:update publication': 4,
  'route:target:set several': 5,
  'route:destroy': 4,
}

/** The request that a choice means as things are; undefined when there is nothing that it could name. */
export async function requestOf(town: Town, { kind, picks }: Choice): Promise<Request | undefined> {
  const { db } = town.store
  const left = [...picks]
  const pick = <T>(all: readonly T[]): T | undefined => all[(left.shift() ?? 0) % Math.max(all.length, 1)]
  return OPERATIONS[kind]({
    town,
    pick,
    projects: await db.selectFrom('projects').selectAll().orderBy('id').execute(),
    instances: await db.selectFrom('instances').selectAll().orderBy('id').execute(),
    clusters: await db.selectFrom('clusters').selectAll().orderBy('id').execute(),
    routes: await db.selectFrom('routes').selectAll().orderBy('id').execute(),
  })
}
