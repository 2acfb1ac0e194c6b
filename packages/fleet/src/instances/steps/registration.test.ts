import { testStepList } from '@fleet/steps/testing'
import type { InstanceRow } from '#/instances/queries.ts'
import { addRegistration, makeRegistrationQueries } from '#/instances/registration/queries.ts'
import { attempts } from './attempts.test.ts'
import { instanceRegistration, type Registration, registrationLog } from './registration.ts'
import { ownLogin } from '#/source-host/api.ts'

const world = attempts()

const begin = async (
  row: InstanceRow,
  isFresh: boolean,
  domain: string | undefined,
): Promise<Registration> => {
  const { checkout, queries, store, routes } = await world()
  const registrations = makeRegistrationQueries(store)
  if (!(await registrations.find(row.id)))
    await addRegistration(store.db, row.id, `/home/fleet/src/${row.name}`)
  const source = await registrations.find(row.id)
  if (!source) throw new Error('the registration was not stored')
  const deps = {
    queries,
    projects: { steps: async () => [], login: async () => ownLogin('') },
    store,
    routes,
    registrations,
  }
  return {
    ...deps,
    checkout: checkout(row),
    domain,
    row,
    source,
    isFresh,
    found: {},
    setsUp: false,
    main: undefined,
  }
}

for (const copies of [false, true])
  for (const domain of [undefined, 'shop.test'])
    testStepList('instance-registration', {
      variant: `${copies ? 'copied' : 'moved'}, ${domain === undefined ? 'without a Route' : 'with a Route'}`,
      list: instanceRegistration,
      fresh: async () => {
        const { checkouts, reserve } = await world()
        checkouts.copies = copies
        return begin(await reserve(), true, domain)
      },
      view: async ({ row }) => (await world()).view(row),
      log: registrationLog,
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
