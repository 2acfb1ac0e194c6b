import { randomUUID } from 'node:crypto'
import type { RoleName } from '@fleet/contract'
import type { Store, NewRow, Row } from '@fleet/store'

const CREATED_AT = '2026-01-02T03:04:05.000Z'

// Counted rather than random: two records of one store never meet by chance.
let counted = 0
const next = (): number => (counted += 1)

const unique = (): string => next().toString(16).padStart(12, '0')

/** An address of 10.0.0.0/8 whose last three bytes are none of 0 and 255. */
function address(): string {
  const number = next()
  const octets = [number / 254 ** 2, number / 254, number].map((part) => 1 + (Math.floor(part) % 254))
  return `10.${octets.join('.')}`
}

export const FINGERPRINT = `SHA256:${'A'.repeat(43)}`

export interface NodeGiven extends Partial<NewRow<'nodes'>> {
  /** Stored as active. */
  readonly roles?: readonly RoleName[]
}

/** An active Node with a tunnel address and a pinned host key of its own. */
export async function addNode(
  store: Store,
  { roles = ['app-dev'], ...given }: NodeGiven = {},
): Promise<Row<'nodes'>> {
  const node = await store.db
    .insertInto('nodes')
    .values({
      name: `node-${unique()}`,
      status: 'active',
      user: 'fleet',
      user_home: '/home/fleet',
      wireguard_ip: address(),
      ssh_host_fingerprint: FINGERPRINT,
      ssh_port: 22,
      provisioned_at: CREATED_AT,
      created_at: CREATED_AT,
      ...given,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  for (const role of roles) await addRole(store, { node_id: node.id, role })
  return node
}

export const addGatewayNode = (store: Store, given: NodeGiven = {}): Promise<Row<'nodes'>> =>
  addNode(store, { name: 'gateway', roles: ['gateway'], ...given })

export const addRole = (
  store: Store,
  given: Partial<NewRow<'node_roles'>> & { readonly node_id: number },
): Promise<Row<'node_roles'>> =>
  store.db
    .insertInto('node_roles')
    .values({ role: 'app-dev', status: 'active', created_at: CREATED_AT, ...given })
    .returningAll()
    .executeTakeFirstOrThrow()

/** Lets the consumer act on the serving Node. */
export async function addGrant(
  store: Store,
  consumer: { readonly id: number },
  serving: { readonly id: number },
): Promise<void> {
  await store.db
    .insertInto('node_grants')
    .values({ consumer_node_id: consumer.id, serving_node_id: serving.id, created_at: CREATED_AT })
    .execute()
}

/** An inactive Cluster with the given Nodes as members. */
export async function addCluster(
  store: Store,
  given: Partial<NewRow<'clusters'>> = {},
  members: ReadonlyArray<{ readonly id: number }> = [],
): Promise<Row<'clusters'>> {
  const cluster = await store.db
    .insertInto('clusters')
    .values({ name: `cluster-${unique()}`, state: 'inactive', created_at: CREATED_AT, ...given })
    .returningAll()
    .executeTakeFirstOrThrow()
  for (const { id } of members)
    await store.db.updateTable('nodes').set({ cluster_id: cluster.id }).where('id', '=', id).execute()
  return cluster
}

/** A Project of a type that needs no Route, with a repository of its own. */
export function addProject(store: Store, given: Partial<NewRow<'projects'>> = {}): Promise<Row<'projects'>> {
  const slug = given.slug ?? `project-${unique()}`
  return store.db
    .insertInto('projects')
    .values({
      slug,
      name: slug,
      code: code(),
      type: 'node-package',
      repository_url: `https://git.example.com/acme/${slug}.git`,
      repository_identity: `git.example.com/acme/${slug}`,
      source_access: 'github_app',
      default_branch: 'main',
      root: '.',
      task_workspace_routed: 1,
      task_compute: 'shared',
      review_and_merge: 0,
      created_at: CREATED_AT,
      ...given,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export const addStep = (
  store: Store,
  given: Partial<NewRow<'project_steps'>> & { readonly project_id: number; readonly position: number },
): Promise<Row<'project_steps'>> =>
  store.db
    .insertInto('project_steps')
    .values({
      list: 'setup',
      name: `step-${given.position}`,
      command: 'true',
      timeout_seconds: 10,
      created_at: CREATED_AT,
      ...given,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

/** An active development Instance without a framework. */
export function addInstance(
  store: Store,
  given: Partial<NewRow<'instances'>> & { readonly project_id: number; readonly node_id: number },
): Promise<Row<'instances'>> {
  const name = given.name ?? `instance-${unique()}`
  return store.db
    .insertInto('instances')
    .values({
      name,
      environment: 'development',
      source_layout: 'checkout',
      checkout_path: `/home/fleet/apps/${given.project_id}/${name}`,
      selected_branch: 'main',
      starting_commit: '0'.repeat(40),
      detached: 0,
      migration_required: 0,
      status: 'active',
      preparation_id: unique(),
      profile: { application_directory: '', framework: null, php: false },
      created_at: CREATED_AT,
      ...given,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A registered PostgreSQL without a password. */
export const addDatabase = (
  store: Store,
  given: Partial<NewRow<'database_connections'>> = {},
): Promise<Row<'database_connections'>> =>
  store.db
    .insertInto('database_connections')
    .values({
      slug: `database-${unique()}`,
      driver: 'pgsql',
      host: 'db.internal',
      port: 5432,
      database_name: 'shop',
      username: 'reader',
      created_at: CREATED_AT,
      ...given,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

/** Whatever waits for its time may begin: the graces of all changes are over. */
export const endGraces = async ({ db }: Pick<Store, 'db'>): Promise<void> =>
  void (await db.updateTable('work').set({ due_at: '2026-01-01T00:00:00.000Z' }).execute())

export const excludeNode = async (
  store: Store,
  project: { readonly id: number },
  node: { readonly id: number },
): Promise<void> => {
  await store.db
    .insertInto('node_exclusions')
    .values({ project_id: project.id, node_id: node.id, created_at: CREATED_AT })
    .execute()
}

/** A read that succeeded, of nobody on nothing. */
export const addActivity = (
  store: Store,
  given: Partial<NewRow<'activities'>> = {},
): Promise<Row<'activities'>> =>
  store.db
    .insertInto('activities')
    .values({
      request_id: randomUUID(),
      command: 'node:list',
      status: 'succeeded',
      duration_ms: 1,
      properties: {},
      occurred_at: CREATED_AT,
      ...given,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

/** The Node as the caller of a request. */
export const asCaller = (node: Row<'nodes'>, isGateway = false) => ({
  id: node.id,
  name: node.name,
  address: node.wireguard_ip ?? '',
  isGateway,
})

/** Three capital letters; 17,576 Projects of one process have different ones. */
function code(): string {
  const number = next()
  return [number / 26 ** 2, number / 26, number]
    .map((part) => String.fromCharCode(65 + (Math.floor(part) % 26)))
    .join('')
}

/** A deployment that succeeded long ago. */
export const addDeployment = (
  store: Store,
  instanceId: number,
  given: Partial<NewRow<'deployments'>> = {},
): Promise<Row<'deployments'>> =>
  store.db
    .insertInto('deployments')
    .values({
      instance_id: instanceId,
      request_id: randomUUID(),
      started_at: CREATED_AT,
      finished_at: CREATED_AT,
      duration_ms: 1000,
      status: 'succeeded',
      triggered_by: 'gateway',
      events: [],
      ...given,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

/** An active, private Route of its own of the Instance. */
export async function addRoute(
  store: Store,
  instance: Pick<Row<'instances'>, 'id' | 'project_id' | 'node_id'>,
  given: Partial<NewRow<'routes'>> = {},
): Promise<Row<'routes'>> {
  const route = await store.db
    .insertInto('routes')
    .values({
      kind: 'app',
      project_id: instance.project_id,
      node_id: instance.node_id,
      domain: 'shop.example',
      provenance: 'explicit',
      publication: 'private',
      status: 'active',
      created_at: CREATED_AT,
      ...given,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await addTarget(store, route, instance.id)
  return route
}

/** Another Instance to which the Route leads. */
export async function addTarget(
  { db }: Store,
  { id: route_id }: Pick<Row<'routes'>, 'id'>,
  instance_id: number,
  position = 1,
): Promise<void> {
  await db.insertInto('route_targets').values({ route_id, instance_id, position }).execute()
}

/** The recorded SSH host key of a Git host, which nothing presents. */
export async function recordHostKey({ db }: Pick<Store, 'db'>, host: string): Promise<void> {
  const recorded = {
    type: 'ssh-ed25519',
    public_key: 'AAAA',
    fingerprint: FINGERPRINT,
    trust: 'given',
  } as const
  await db
    .insertInto('git_host_keys')
    .values({ host, port: 22, ...recorded, recorded_at: '2026-01-01T00:00:00.000Z' })
    .execute()
}
