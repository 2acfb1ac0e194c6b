import { testStepList } from '@fleet/steps/testing'
import type { InstanceRow } from '#/instances/queries.ts'
import { attempts } from './attempts.test.ts'
import { instanceRemoval, type Removal, removalLog } from './removal.ts'

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

const done = async (): Promise<void> => undefined
const NOTHING_RUNS = { stop: done, remove: done, leaveBehind: done }

const begin = async (row: InstanceRow): Promise<Removal> => {
  const { checkout, queries, store, routes } = await world()
  return {
    checkout: checkout(row),
    queries,
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
