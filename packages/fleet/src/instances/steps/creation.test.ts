import { testStepList } from '@fleet/steps/testing'
import type { InstanceRow } from '#/instances/queries.ts'
import { attempts } from './attempts.test.ts'
import { type Creation, creationLog, instanceCreation } from './creation.ts'

const world = attempts()

const begin = async (row: InstanceRow, isFresh: boolean, domain: string | undefined): Promise<Creation> => {
  const { checkout, queries, store, routes } = await world()
  const projects = { steps: async () => [] }
  const parts = { queries, projects, store, routes }
  return { ...parts, checkout: checkout(row), domain, row, isFresh, found: {}, isUntouched: false }
}

for (const domain of [undefined, 'shop.test'])
  testStepList('instance-creation', {
    variant: domain === undefined ? 'without a Route' : 'with a Route',
    list: instanceCreation,
    fresh: async () => begin(await (await world()).reserve(), true, domain),
    view: async ({ row }) => (await world()).view(row),
    log: creationLog,
    again: async ({ row, queries }) => {
      const stored = await queries.find(row.id)
      if (stored) return begin(stored, false, domain)
      const { id: _id, ...given } = row
      return begin(
        await (await world()).reserve({ ...given, status: 'reserved', profile: null }),
        true,
        domain,
      )
    },
  })
