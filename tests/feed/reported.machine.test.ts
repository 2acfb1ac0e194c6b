import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue, isCallback, type Operation, pathParams } from '@fleet/contract'
import { SILENT } from './silent.ts'
import { TOLD } from './reported.ts'
import { type FeedWorld, recordsOf, startFeedWorld } from './world.ts'

let world: FeedWorld
before(async () => void (world = await startFeedWorld()))
after(() => world[Symbol.asyncDispose]())

for (const [name, scenario] of Object.entries(TOLD))
  test(`${name} publishes the whole record that it changed, once, and nothing of a repetition or a refusal [EV-001, EV-002, EV-005, EV-006, EV-011, EV-012, EV-019, EV-083, EV-086, PRJ-039]`, () =>
    scenario(world))

for (const [name, { row, scenario }] of Object.entries(SILENT))
  test(`${name} publishes its Activity alone (${row}) [EV-066, EV-067, EV-074, EV-075, PRJ-039]`, () =>
    scenario(world))

test('every change of the catalogue is known to publish something or to be silent', () => {
  const changes = catalogue.filter((operation) => operation.method !== 'GET' && !isCallback(operation))
  const known = [...Object.keys(TOLD), ...Object.keys(SILENT)]
  assert.deepEqual(known.toSorted(), changes.map(({ name }) => name).toSorted())
})

/** The path with records that nobody has. */
const nowhere = (operation: Operation): string =>
  pathParams(operation.path).reduce(
    (path, param) => path.replace(`{${param}}`, param === 'role' ? 'metrics' : '999999'),
    operation.path,
  )

/** Rows about Activities are not published; callbacks of agents and renewals leave none (EV-072, AGT-001, LOGS-028). */
const leavesActivity = (operation: Operation): boolean =>
  !operation.name.startsWith('activity:') && !isCallback(operation) && !operation.unrecorded

for (const operation of catalogue)
  test(`${operation.name} that fails publishes its Activity and nothing else [EV-072, EV-083, EV-085]`, async () => {
    const wrong = operation.method === 'GET' ? {} : { body: { unknown_member: 1 } }
    for (const request of [{ from: 'unknown' as const }, wrong]) {
      const done = await world.perform(operation.method, nowhere(operation), request)
      if (!leavesActivity(operation)) assert.deepEqual(done.events, [])
      else assert.deepEqual(await recordsOf(world, done), [])
      if ('from' in request && operation.access !== 'public') assert.equal(done.status, 403)
    }
  })
