import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue, type Operation, type OperationName } from '@fleet/contract'
import { TOLD } from './reported.ts'
import type { Scenario } from './scenes.ts'
import { SILENT } from './silent.ts'
import { type Done, type FeedWorld, startFeedWorld } from './world.ts'

let world: FeedWorld
before(async () => void (world = await startFeedWorld()))
after(() => world[Symbol.asyncDispose]())

/** Creations that a machine of this test cannot carry out; the tests of their domains repeat them, and cite GW-021. */
const ELSEWHERE: ReadonlySet<string> = new Set<OperationName>([
  'database:server:create',
  'database:user:create',
  'git-host:trust',
  'instance:clone',
  'instance:transfer',
  'node:role:add',
  'project:deploy-key:create',
  'tool:adopt',
  'tool:install',
])
/** A used slug is always refused, which the row says; an opened stream is no record, and each answers 201 (LOGS-001). */
const EXCEPTIONS: ReadonlySet<string> = new Set<OperationName>([
  'database:create',
  'instance:log-stream:open',
  'process:log-stream:open',
])

const scenarios: Readonly<Partial<Record<OperationName, Scenario>>> = {
  ...TOLD,
  ...Object.fromEntries(Object.entries(SILENT).map(([name, { scenario }]) => [name, scenario])),
}

interface Repeated {
  readonly first: Done
  readonly second: Done
}

/** Runs the scenario, and sends each request of it that created something a second time, at once. */
async function repeating({ method, path, name }: Operation): Promise<readonly Repeated[]> {
  const found: Repeated[] = []
  const isCreation = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)
  const scenario = scenarios[name as OperationName] ?? assert.fail(name) // Every change of the catalogue has one.
  await scenario({
    ...world,
    perform: async (...request) => {
      const first = await world.perform(...request)
      if (first.status === 201 && request[0] === method && isCreation.test(request[1]))
        found.push({ first, second: await world.perform(...request) })
      return first
    },
  })
  return found
}

for (const operation of catalogue.filter(({ creates }) => creates)) {
  if (ELSEWHERE.has(operation.name) || EXCEPTIONS.has(operation.name)) continue
  test(`${operation.name} answers 201, and its exact repeat 200 with the stored record [GW-021]`, async () => {
    const repeats = await repeating(operation)
    assert.ok(repeats.length > 0)
    for (const { first, second } of repeats) {
      assert.equal(second.status, 200, String(second.code))
      assert.deepEqual(second.data, first.data)
    }
  })
}

test('a database connection is the exception: its slug is used [DB-049, GW-021]', async () => {
  const create = catalogue.find(({ name }) => name === 'database:create') ?? assert.fail()
  const [repeat] = await repeating(create)
  assert.deepEqual([repeat?.second.status, repeat?.second.code], [409, 'database.slug_conflict'])
})
