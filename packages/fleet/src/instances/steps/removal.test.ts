import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testStepList } from '@fleet/steps/testing'
import type { InstanceRow } from '#/instances/queries.ts'
import { makeRegistrationQueries } from '#/instances/registration/queries.ts'
import { ownLogin } from '#/source-host/api.ts'
import { attempts } from './attempts.test.ts'
import { instanceRemoval, type Removal, removalLog, runRemoval } from './removal.ts'

const world = attempts()

const ACCEPTED = {
  status: 'removing',
  selected_branch: 'main',
  profile: { application_directory: '', framework: null, php: false },
  removal_operation_id: 'a removal',
  removal_force: 0,
  removal_status: 'removing',
  removal_step: 'source_preparation',
  removal_completed: 0,
} as const satisfies Partial<InstanceRow>

const projects = { login: async () => ownLogin('') }
const done = async (): Promise<void> => undefined
const NOTHING_RUNS = { stop: done, remove: done, leaveBehind: done }

test('what runs in the checkout is stopped before it is deleted, and removed after it', async () => {
  const { reserve, prepare, view } = await world()
  const row = await reserve(ACCEPTED)
  prepare(row)
  const seen: unknown[] = []
  const see = (what: string) => async (_session: unknown, id: number) => {
    seen.push([what, id, await view(row)])
  }
  const before = await view(row)
  const removal = await begin(row)
  await runRemoval({ ...removal, runtime: { ...NOTHING_RUNS, stop: see('stop'), remove: see('remove') } })
  const [stopped, removed] = seen
  assert.deepEqual(
    seen.map((one) => (Array.isArray(one) ? one.slice(0, 2) : one)),
    [
      ['stop', row.id],
      ['remove', row.id],
    ],
  )
  assert.deepEqual(partsOf(stopped), partsOf(['', 0, before]))
  assert.notDeepEqual(partsOf(removed), partsOf(['', 0, before]))
})

/** What is left of the checkout. */
const partsOf = (seen: unknown): unknown => {
  const [, , viewed] = seen as readonly [string, number, { readonly parts: unknown }] // As the test has written it.
  return viewed.parts
}

const begin = async (row: InstanceRow): Promise<Removal> => {
  const { checkout, queries, store, routes } = await world()
  return {
    checkout: checkout(row),
    queries,
    projects,
    registrations: makeRegistrationQueries(store),
    store,
    routes,
    runtime: NOTHING_RUNS,
    row,
    operationId: 'a removal',
    force: false,
    safeHeads: 'digest',
  }
}

testStepList('instance-removal', {
  list: instanceRemoval,
  fresh: async () => {
    const { reserve, prepare } = await world()
    const row = await reserve(ACCEPTED)
    prepare(row)
    return begin(row)
  },
  view: async ({ row }) => (await world()).view(row),
  log: removalLog,
  // Once the row is gone the removal is done.
  again: async ({ row, queries }) => {
    const stored = await queries.find(row.id)
    return stored && begin(stored)
  },
})
