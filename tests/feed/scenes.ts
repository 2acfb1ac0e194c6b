import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { RoleName } from '@fleet/contract'
import { addGrant, addNode, FINGERPRINT } from '@fleet/testing'
import { type Done, type FeedWorld, type Request, recordsOf } from './world.ts'

/** One way to perform an operation, with the records that the feed must publish. */
export type Scenario = (world: FeedWorld) => Promise<void>

/** The id of the event is that of its data where it has none of its own. */
type Expected = readonly (readonly [type: string, data: Readonly<Record<string, unknown>>, id?: string])[]

/** Performs a request that must succeed and publish exactly these records, whole and in this order. */
export async function publishes(
  world: FeedWorld,
  [method, path, request]: readonly [method: string, path: string, request?: Request],
  expected: Expected | ((done: Done) => Expected | Promise<Expected>),
): Promise<Done> {
  const done = await world.perform(method, path, request)
  assert.ok(done.status < 300, `${method} ${path}: ${done.status} ${String(done.code)}`)
  const records = await recordsOf(world, done)
  const wanted = typeof expected === 'function' ? await expected(done) : expected
  assert.deepEqual(
    records.map(({ type, id, data }) => ({ type, id, data })),
    wanted.map(([type, data, id = data['id']]) => ({ type, id, data })),
  )
  return done
}

/** Performs a request that must be refused with the code, and publish its Activity alone. */
export async function refused(
  world: FeedWorld,
  [method, path, request]: readonly [method: string, path: string, request?: Request],
  code: string,
): Promise<void> {
  const done = await world.perform(method, path, request)
  assert.equal(done.code, code)
  assert.deepEqual(await recordsOf(world, done), [])
  assert.equal(done.events.at(-1)?.data['status'], 'failed')
}

export const nothing: Expected = []
/** A name that nothing else has. */
export const unique = (word: string): string => `${word}-${randomBytes(4).toString('hex')}`

/** As the list of Nodes shows it: the record without what only `node:show` adds. */
export async function listedNode(world: FeedWorld, id: number): Promise<Readonly<Record<string, unknown>>> {
  const nodes: ReadonlyArray<Readonly<Record<string, unknown>>> = await world.read('/nodes')
  return nodes.find((node) => node['id'] === id) ?? {}
}

export const nodeUpdated =
  (world: FeedWorld, ...ids: readonly number[]) =>
  async (): Promise<Expected> =>
    Promise.all(ids.map(async (id) => ['node.updated', await listedNode(world, id)] as const))

let machines = 0

interface Enrolled {
  readonly id: number
  readonly name: string
  readonly public_ssh_host: string
}

/** Each is a machine of its own: one machine is one Node. */
export async function enrolled(world: FeedWorld): Promise<Enrolled> {
  const name = unique('web')
  machines += 1
  const host = `198.18.${Math.floor(machines / 250)}.${(machines % 250) + 1}`
  const machine = { name, public_ssh_host: host, host_key_fingerprint: FINGERPRINT }
  const { data } = await publishes(world, ['POST', '/nodes', { body: machine }], async ({ data: node }) => [
    ['node.created', await listedNode(world, node.id)],
  ])
  return data
}

/** A Node that is a row, on which the gateway may act. */
export async function plainNode({ fleet }: FeedWorld, roles: readonly RoleName[] = []): Promise<number> {
  const { id } = await addNode(fleet.store, { roles, platform: 'linux', name: unique('plain') })
  await addGrant(fleet.store, { id: fleet.nodes.gateway }, { id })
  return id
}

export const projectBody = (world: FeedWorld) => ({
  slug: unique('shop'),
  type: 'node-package',
  repository_url: world.freshRepository(),
  root: '.',
})

interface Made {
  readonly id: number
  readonly name: string
  readonly checkout_path: string
  readonly selected_branch: string
}

/** An Instance of the shared Project, unless of another. */
export async function instance(world: FeedWorld, projectId?: number): Promise<Made> {
  const project_id = projectId ?? (await world.project())
  const body = { project_id, node_id: world.fleet.nodes.granted, name: unique('i') }
  const { json, text } = await world.fleet.ask('POST', '/api/v1/instances', { body })
  assert.equal(json.error, undefined, text)
  return json.data
}

export async function cluster(world: FeedWorld): Promise<number> {
  const { json } = await world.fleet.ask('POST', '/api/v1/clusters', { body: { name: unique('c') } })
  return json.data.id
}
