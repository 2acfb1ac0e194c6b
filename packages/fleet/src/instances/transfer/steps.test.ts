import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseConnectionData } from '@fleet/contract'
import { testStepList } from '@fleet/steps/testing'
import type { TransferRecord } from '@fleet/store'
import { addNode, type FakeCheckouts, fakeCall } from '@fleet/testing'
import type { InstanceRow } from '#/instances/queries.ts'
import { attempts } from '#/instances/steps/attempts.test.ts'
import { transferLog, type TransferredRow } from '#/instances/transfer/record.ts'
import { instanceTransfer, type Transfer } from '#/instances/transfer/steps.ts'
import { makeSession, type NodeRecord } from '#/nodes/api.ts'

const world = attempts()
/** Where the Processes of each Instance run. */
const running = new Map<number, number>()
/** `node instance` of each Node that knows an Instance without its dependencies. */
const cold = new Set<string>()
let destination: NodeRecord | undefined

const nodeOf = async (): Promise<NodeRecord> =>
  (destination ??= { ...(await addNode((await world()).store)), activeRoles: ['app-dev'] as const })

async function contextOf(row: InstanceRow): Promise<Transfer> {
  const { checkouts, store, queries, routes, project, checkout } = await world()
  const { transfer: record } = row
  if (!record) throw new Error('the transfer was not stored')
  const { session: from } = checkout(row)
  const at = (node: NodeRecord) => ({
    session: makeSession({
      call: fakeCall(),
      node,
      login: node.user,
      send: (_call, command, options) => checkouts.reply(node.id, command, options),
    }),
    project,
  })
  return {
    source: at({ ...from.node, id: record.source_node_id }),
    destination: at(await nodeOf()),
    store,
    queries,
    routes: { ...routes, move: async () => undefined, tellMoved: async () => undefined },
    runtime: { stop: async (_session, id) => void running.delete(id) },
    moves: {
      resume: async ({ node }, id) => void running.set(id, node.id),
      withdraw: async ({ node }, id) => void cold.delete(`${node.id} ${id}`),
      carrySleep: async (before, to, id) => {
        if (before && cold.has(`${before.node.id} ${id}`)) cold.add(`${to.node.id} ${id}`)
        else cold.delete(`${to.node.id} ${id}`)
      },
      schedulesOf: async () => [],
      relocate: async () => [],
      rebuildEnvironment: async () => undefined,
    },
    plan: async () => [],
    row,
    record,
  }
}

type Sqlite = Omit<NonNullable<TransferRecord['sqlite']>, 'digest'>

async function begin(
  sqlite?: (row: InstanceRow) => Sqlite,
  source_layout: InstanceRow['source_layout'] = 'checkout',
): Promise<Transfer> {
  const { reserve, prepare, routes, queries, checkouts } = await world()
  const row = await reserve({ status: 'active', source_layout })
  prepare(row)
  await routes.publish(undefined, row)
  running.set(row.id, row.node_id)
  cold.add(`${row.node_id} ${row.id}`)
  const database = sqlite?.(row)
  if (database) checkouts.sqlite.held.set(`${row.node_id} ${database.source_path}`, 'rows')
  const { id: destinationId } = await nodeOf()
  const transfer: TransferRecord = {
    operation_id: `00000000-0000-4000-8000-${String(row.id).padStart(12, '0')}`,
    source_preparation_id: row.preparation_id,
    requested_name: null,
    source_node_id: row.node_id,
    source_path: row.checkout_path,
    destination_node_id: destinationId,
    destination_name: row.name,
    destination_path: `/srv/apps/app/${row.name}`,
    destination_domain: 'shop.test',
    status: 'running',
    steps: {},
    failed_step: null,
    error_code: null,
    content_digest: null,
    ...(database && { sqlite: { ...database, digest: null } }),
  }
  return contextOf(await queries.update(row.id, { transfer }))
}

test('the content is copied from a source that stands still, also after an undo that started it again', async () => {
  const transfer = await begin()
  const copy = instanceTransfer.stepsFor(transfer).find(({ name }) => name === 'source_copy')
  await copy?.run(transfer)
  assert.equal(running.has(transfer.row.id), false)
  await copy?.undo?.(transfer)
  assert.equal(running.get(transfer.row.id), transfer.record.source_node_id)
})

test('SQLite files that moved with the Instance are published once they have, before the rest can fail [EV-044]', async () => {
  const transfer = await begin(places['a database outside of it'])
  const { record, destination: to } = transfer
  assert.ok(to)
  const call = fakeCall()
  const inTransaction: number[] = []
  const moving: Transfer = {
    ...transfer,
    destination: { ...to, session: { ...to.session, call } },
    moves: {
      ...transfer.moves,
      relocate: async (_db, _id, { to: { nodeId, path } }) => {
        inTransaction.push(call.published.length)
        return [connectionAt(nodeId, path)]
      },
    },
  }
  const cutOver = instanceTransfer.stepsFor(moving).find(({ name }) => name === 'cutover')
  await cutOver?.run(moving)
  assert.deepEqual(inTransaction, [0, 0])
  assert.deepEqual(
    call.published,
    [record.destination_path, record.sqlite?.destination_path ?? ''].map((path) => ({
      type: 'database.updated',
      data: connectionAt(record.destination_node_id, path),
    })),
  )
})

const connectionAt = (node_id: number, path: string): DatabaseConnectionData => ({
  id: 1,
  slug: 'shop',
  driver: 'sqlite',
  node_id,
  host: null,
  port: null,
  database: null,
  path,
  username: null,
  has_password: false,
  server: null,
  owner_instance_id: null,
  test_database: null,
})

/** What the destination holds of it, under each of its names. One in the checkout goes with that. */
const databaseOf = (
  { sqlite, destination_node_id: node, operation_id, destination_path }: TransferRecord,
  checkouts: Pick<FakeCheckouts, 'sqlite' | 'at'>,
): unknown => {
  const { held } = checkouts.sqlite
  if (!sqlite || (sqlite.is_inside && checkouts.at(destination_path).length === 0)) return undefined
  const at = `${node} ${sqlite?.destination_path}`
  return [held.get(at), held.get(`${at}.${operation_id}`)]
}

/** A database in the checkout, and one that is elsewhere. */
const places = {
  'without a database': undefined,
  'a database of the checkout': ({ name, checkout_path }: InstanceRow) => ({
    source_path: `${checkout_path}/a.sqlite`,
    destination_path: `/srv/apps/app/${name}/a.sqlite`,
    is_inside: true,
  }),
  'a database outside of it': ({ name }: InstanceRow) => ({
    source_path: `/srv/${name}.sqlite`,
    destination_path: `/srv/${name}.sqlite`,
    is_inside: false,
  }),
} as const

for (const [what, place, layout] of [
  ...Object.entries(places).map(([what, place]) => [what, place, 'checkout'] as const),
  ['a linked worktree', undefined, 'worktree'] as const,
])
  testStepList('instance-transfer', {
    variant: what,
    list: instanceTransfer,
    fresh: () => begin(place, layout),
    view: async ({ row: { id }, record }) => {
      const { checkouts, queries } = await world()
      const row = await queries.find(id)
      return {
        isMoved: row?.node_id === record.destination_node_id,
        hasPath: row?.checkout_path === record.destination_path,
        source: checkouts.at(record.source_path),
        destination: checkouts.at(record.destination_path),
        runs: running.get(id) === row?.node_id,
        cold: [record.source_node_id, record.destination_node_id].map((node) => cold.has(`${node} ${id}`)),
        database: databaseOf(record, checkouts),
      }
    },
    log: (transfer) =>
      transferLog(
        // Stored by `begin`.
        { queries: transfer.queries, row: transfer.row as TransferredRow },
        () => transfer.record,
        (stored) => {
          transfer.row = stored
          transfer.record = stored.transfer ?? transfer.record
        },
      ),
    commitsWhole: true,
    again: async ({ row, queries }) => contextOf((await queries.find(row.id)) ?? row),
  })
