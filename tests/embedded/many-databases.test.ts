import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sampleShare } from '@fleet/testing/sample'
import { dataOf } from './ask.ts'
import { type EmbeddedFleet, startEmbedded } from './harness.ts'
import { checkoutsOn, NO_RESIDUE, residueInStore } from './residue.ts'

/** Two hundred in a whole run. */
const COUNT = 200 / sampleShare(25)
/** A gateway keeps no more connections than 32 of a machine while they have asked nothing yet. */
const AT_ONCE = 24
const PATH = 'data/shop.sqlite'

const send = async (fleet: EmbeddedFleet, method: string, path: string, body?: unknown) =>
  dataOf(await fleet.ask(method, `/api/v1${path}`, { body }))

/** The answers in the order of the works, of which a bounded number run at any time. */
async function atOnce<T>(works: ReadonlyArray<() => Promise<T>>): Promise<readonly T[]> {
  const answers: T[] = []
  const left = works.entries()
  const worker = async (): Promise<void> => {
    for (const [at, work] of left) answers[at] = await work()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return answers
}

interface Shown {
  readonly slug: string
  readonly path: string
  readonly owner_instance_id: number | null
}

async function connections(fleet: EmbeddedFleet): Promise<readonly Shown[]> {
  const { text } = await fleet.ask('GET', '/api/v1/database-connections')
  const { data } = JSON.parse(text) as { readonly data: readonly Shown[] } // The contract says so.
  return data
}

const countIn = (path: string): unknown => {
  using database = new DatabaseSync(path)
  return database.prepare('SELECT count(*) AS n FROM orders').get()?.['n']
}

test('Instances of one Project that are created and destroyed at once each own a copy of the database of default, and leave nothing [INS-062, DB-030]', async () => {
  await using fleet = await startEmbedded({ sample: true })
  const nodeHome = join(fleet.home, 'nodes', 'node-1')
  const checkout = (name: string): string => join(nodeHome, 'apps/shop', name)
  mkdirSync(join(checkout('default'), 'data'))
  {
    using database = new DatabaseSync(join(checkout('default'), PATH))
    database.exec('PRAGMA journal_mode = wal; CREATE TABLE orders (id INTEGER PRIMARY KEY)')
    database.exec('INSERT INTO orders VALUES (1), (2), (3)')
  }
  const node_id = fleet.nodeId('node-1')
  const path = join(checkout('default'), PATH)
  await send(fleet, 'POST', '/database-connections', { slug: 'lite', driver: 'sqlite', node_id, path })
  await send(fleet, 'PUT', '/instances/1/database-connections/lite', {})
  const names = Array.from({ length: COUNT }, (_, at) => `feature-${at}`)
  const made = await atOnce(
    names.map((name) => () => send(fleet, 'POST', '/instances', { project_id: 1, node_id, name })),
  )
  assert.deepEqual(
    Object.fromEntries(
      (await connections(fleet)).map(({ slug, ...at }) => [slug, [at.path, at.owner_instance_id]]),
    ),
    Object.fromEntries([
      ['lite', [path, null]],
      ...names.map((name, at) => [`shop-${name}`, [join(checkout(name), PATH), made[at]?.['id']]] as const),
    ]),
  )
  for (const [at, name] of names.entries()) {
    assert.equal(countIn(join(checkout(name), PATH)), 3)
    using database = new DatabaseSync(join(checkout(name), PATH))
    database.exec(`INSERT INTO orders VALUES (${100 + at})`)
  }
  assert.equal(countIn(path), 3)
  await atOnce(
    made.map(
      ({ id }) =>
        () =>
          send(fleet, 'DELETE', `/instances/${String(id)}`, { force: true }),
    ),
  )
  assert.deepEqual(
    (await connections(fleet)).map(({ slug }) => slug),
    ['lite'],
  )
  assert.deepEqual(checkoutsOn(nodeHome), ['shop', 'shop/default'])
  assert.deepEqual(residueInStore(fleet.home), NO_RESIDUE)
  assert.equal(countIn(path), 3)
  assert.ok(
    !existsSync('/var/tmp') || !readdirSync('/var/tmp').some((name) => name.startsWith('fleet-sqlite-')),
  )
})
