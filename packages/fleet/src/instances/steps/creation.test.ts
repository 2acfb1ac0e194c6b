import { testStepList } from '@fleet/steps/testing'
import type { InstanceRow } from '#/instances/queries.ts'
import { attempts } from './attempts.test.ts'
import { type Creation, creationLog, instanceCreation } from './creation.ts'

const world = attempts()

const begin = async (row: InstanceRow, isFresh: boolean): Promise<Creation> => {
  const { checkout, queries } = await world()
  const projects = { steps: async () => [] }
  return { checkout: checkout(row), queries, projects, row, isFresh, found: {}, isUntouched: false }
}

testStepList('instance-creation', {
  list: instanceCreation,
  fresh: async () => begin(await (await world()).reserve(), true),
  view: async ({ row }) => (await world()).view(row),
  log: creationLog,
  again: async ({ row, queries }) => {
    const stored = await queries.find(row.id)
    if (stored) return begin(stored, false)
    const { id: _id, ...given } = row
    return begin(await (await world()).reserve({ ...given, status: 'reserved' }), true)
  },
})
