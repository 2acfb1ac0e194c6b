import { type ErrorCode, fail, type InputOf } from '@fleet/contract'
import { CodedError, systemClock, systemIds } from '@fleet/kernel'
import type { Row, Store } from '@fleet/store'
import { addInstance, addNode, addProject, fakeCall, openTestStore, testDomains } from '@fleet/testing'
import { makeMortal, type Moment, type Mortal } from '@fleet/testing/death'
import type { ProjectCheckout, ProjectCheckouts } from '#/instances/api.ts'
import type { ProjectUpdatesDeps } from '#/project-updates/deps.ts'
import { makeSourceChanges } from '#/project-updates/source-changes.ts'
import { makeProjects } from '#/projects/api.ts'
import type { SlugChange } from '#/routes/api.ts'

/** What a checkout on a Node has. */
export interface Checkout {
  origin: string
  branch: string
  readonly branches: Set<string>
  /** Domain that its `.env` names. */
  domain: string | null
  /** Directory of its web root. */
  root: string
}

export interface World extends AsyncDisposable {
  readonly store: Store
  readonly project: Row<'projects'>
  readonly mortal: Mortal
  readonly deps: ProjectUpdatesDeps
  /** By id of the Instance. */
  readonly checkouts: Map<number, Checkout>
  /** Domains of each Instance, with those that are prepared. */
  readonly domains: Map<number, readonly string[]>
  /** `word name`, in order. */
  readonly done: string[]
  /** Fails at the word and the name of the Instance, `*` for any. */
  readonly broken: Map<string, ErrorCode>
  /** The next one of these commands fails. */
  failsOnce(word: string): void
  update(
    given: Omit<InputOf<'project:update'>, 'project'>,
    call?: ReturnType<typeof fakeCall>,
  ): Promise<unknown>
}

export const URL = 'https://git.example.com/acme/next.git'
export const GIVEN = { slug: 'next', repository_url: URL, default_branch: 'trunk', root: 'web' } as const

interface WorldOptions {
  readonly names?: readonly string[]
  /** An earlier process of the same gateway. */
  readonly after?: World
  readonly moment?: Moment
}

/** A Project whose Instances are on Nodes of maps, and what updates do to them. */
export async function startWorld({
  names = ['default', 'feature'],
  after,
  moment,
}: WorldOptions = {}): Promise<World> {
  const opened = after?.store ?? (await openTestStore())
  const mortal = makeMortal(opened, nothing, moment)
  const store = moment || after ? mortal.store : opened
  const project =
    after?.project ?? (await addProject(store, { slug: 'shop', root: 'public', type: 'monorepo' }))
  const checkouts = after?.checkouts ?? new Map<number, Checkout>()
  const domains = after?.domains ?? new Map<number, readonly string[]>()
  if (!after) await fill(store, project, names, { checkouts, domains })
  const done: string[] = []
  const broken = new Map<string, ErrorCode>()
  const once = new Set<string>()
  const domainsOfGateway = testDomains({ store, ssh: mortal.ssh })
  const does = (word: string, name: string, work: () => void): Promise<void> =>
    mortal.around(async () => {
      done.push(`${word} ${name}`)
      if (once.delete(word)) throw fail('node.unreachable')
      const code = broken.get(`${word} ${name}`) ?? broken.get(`${word} *`)
      if (code) throw fail(code)
      work()
    })
  const at = ({ row }: ProjectCheckout): Checkout => {
    const checkout = checkouts.get(row.id)
    if (!checkout) throw new Error('there is no such checkout')
    return checkout
  }
  const deps: ProjectUpdatesDeps = {
    store,
    clock: systemClock,
    nodes: domainsOfGateway.nodes.nodes,
    checkouts: {
      ...domainsOfGateway.instances.ofProjects,
      ...fakeCheckouts(does, at),
      present: async (of, project) => ({
        ...(await domainsOfGateway.instances.ofProjects.present(of, project)),
        domain: domains.get(of.row.id)?.[0] ?? null,
      }),
    },
    routes: fakeRoutes(store, domains, does),
    environment: {
      isStored: async (id) => id % 2 === 0,
      requireSynchronizable: async (_call, id) => does('environment-check', `${id}`, () => undefined),
      synchronizeHeld: async (_call, id) => {
        await does('environment', `${id}`, () => undefined)
        return { changed: true, key_count: 1, replaced_keys: [] }
      },
      synchronizeUnder: async (_call, id, domain) =>
        does('environment', `${id}`, () => {
          const checkout = checkouts.get(id)
          if (checkout) checkout.domain = domain
        }),
    },
    runtimes: [],
  }
  const { handlers } = makeProjects({
    store,
    clock: systemClock,
    ids: systemIds,
    nodes: domainsOfGateway.nodes.nodes,
    placements: domainsOfGateway.placements,
    hosts: domainsOfGateway.sourceHost.hosts,
    tokens: domainsOfGateway.github.tokens,
    git: {
      defaultBranch: async () => 'main',
      hasBranch: async () => true,
      githubToken: async () => undefined,
    },
    sources: makeSourceChanges(deps),
  })
  return {
    store: opened,
    project,
    mortal,
    deps,
    checkouts,
    domains,
    done,
    broken,
    failsOnce: (word) => void once.add(word),
    update: (given, call = fakeCall()) =>
      handlers['project:update']({ call, input: { project: project.id, ...given } }),
    [Symbol.asyncDispose]: async () => {
      if (!after) await opened[Symbol.asyncDispose]()
    },
  }
}

async function fill(
  store: Store,
  project: Row<'projects'>,
  names: readonly string[],
  { checkouts, domains }: Pick<World, 'checkouts' | 'domains'>,
): Promise<void> {
  const nodes = [await addNode(store), await addNode(store)]
  for (const [index, name] of names.entries()) {
    const node = nodes[index % nodes.length]
    if (!node) throw new Error('there are two Nodes')
    const { id } = await addInstance(store, {
      project_id: project.id,
      node_id: node.id,
      name,
      selected_branch: 'main',
      checkout_path: `/apps/shop/${name}`,
    })
    checkouts.set(id, {
      origin: project.repository_url,
      branch: 'main',
      branches: new Set(['main']),
      domain: id % 2 === 0 ? `${name}.shop` : null,
      root: 'public',
    })
    domains.set(id, [`${name}.shop`])
  }
}

type Does = (word: string, name: string, work: () => void) => Promise<void>

const fakeCheckouts = (does: Does, at: (of: ProjectCheckout) => Checkout) =>
  ({
    inspect: async (_call, of) => {
      await does('preflight', of.row.name, () => undefined)
      return {
        origin: at(of).origin,
        hasBranch: at(of).branches.has(GIVEN.default_branch),
        isSwitched: at(of).branch === GIVEN.default_branch,
      }
    },
    examine: async () => ({ applicationDirectory: 'web', framework: null, php: false }),
    leadOrigin: (_call, of, { from, to, undoes }) =>
      does(undoes ? 'origin back' : 'origin', of.row.name, () => {
        if (at(of).origin === from) at(of).origin = to
      }),
    switchBranch: (_call, of, { from, to, drops, undoes }) =>
      does(undoes ? 'branch back' : 'branch', of.row.name, () => {
        at(of).branch = to
        at(of).branches.add(to)
        if (drops) at(of).branches.delete(from)
      }),
    projectAnew: (_call, of, { root }) =>
      does('root', of.row.name, () => {
        at(of).root = of.row.root ?? root ?? '.'
      }),
  }) satisfies Partial<ProjectCheckouts>

/** Domains are `name.slug`; the last one is that of now. */
const fakeRoutes = (store: Store, domains: World['domains'], does: Does): ProjectUpdatesDeps['routes'] => {
  const planned = async (projectId: number, slug: string): Promise<readonly SlugChange[]> => {
    const rows = await store.db
      .selectFrom('instances')
      .selectAll()
      .where('project_id', '=', projectId)
      .execute()
    return rows.flatMap(({ id, name }) => {
      const [from = ''] = domains.get(id) ?? []
      const domain = `${name}.${slug}`
      return from === domain
        ? []
        : [{ routeId: id, instanceId: id, from, domain, publication: 'private' as const }]
    })
  }
  return {
    plan: planned,
    prepare: (_call, changes) =>
      does('prepare', 'domains', () => {
        for (const { instanceId, from, domain } of changes) domains.set(instanceId, [from, domain])
      }),
    withdraw: async (_call, projectId) => {
      const ids = (await planned(projectId, '')).map(({ instanceId }) => instanceId)
      await does('withdraw', 'domains', () => {
        for (const id of ids) domains.set(id, (domains.get(id) ?? []).slice(0, 1))
      })
    },
    replace: (_call, changes) =>
      does('replace', 'domains', () => {
        for (const { instanceId, domain } of changes) domains.set(instanceId, [domain])
      }),
    requireRoot: (id, _root, session) =>
      session ? does('root-check', `${id}`, () => undefined) : Promise.resolve(),
    publishAnew: async () => undefined,
  }
}

const nothing = {
  run: () => Promise.reject(new Error('no Node here')),
  forward: () => Promise.reject(new Error('no streams here')),
  probe: () => Promise.resolve(),
  scan: () => Promise.reject(new Error('no host keys here')),
  forget: () => undefined,
  [Symbol.asyncDispose]: () => Promise.resolve(),
}

/** What a person would see of it. */
export async function viewOf({ store, project, checkouts, domains }: World) {
  const { slug, repository_url, repository_identity, default_branch, root } = await store.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', project.id)
    .executeTakeFirstOrThrow()
  const rows = await store.db
    .selectFrom('instances')
    .select(['name', 'selected_branch'])
    .orderBy('id')
    .execute()
  return {
    project: { slug, repository_url, repository_identity, default_branch, root },
    rows,
    checkouts: [...checkouts.values()].map(({ branches, ...rest }) => ({ ...rest, branches: [...branches] })),
    domains: [...domains.values()],
  }
}

export const stateOf = async ({ store, project }: World): Promise<string | undefined> =>
  (
    await store.db
      .selectFrom('project_updates')
      .selectAll()
      .where('project_id', '=', project.id)
      .executeTakeFirst()
  )?.state

export async function refusalOf(request: Promise<unknown>): Promise<CodedError> {
  const error: unknown = await request.then(
    () => new Error('the request succeeded'),
    (reason: unknown) => reason,
  )
  if (error instanceof CodedError) return error
  throw error
}
