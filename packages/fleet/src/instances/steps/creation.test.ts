import { testStepList } from '@fleet/steps/testing'
import type { CopySource } from '#/instances/copies/source.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { attempts } from './attempts.test.ts'
import { type Creation, creationLog, instanceCreation } from './creation.ts'
import { ownLogin } from '#/source-host/api.ts'

const world = attempts()

const source: CopySource = {
  place: {
    checkoutPath: '/home/fleet/apps/app/default',
    preparationId: 'first',
    branch: 'main',
    applicationDirectory: '',
  },
  record: {
    source: { id: 900, name: 'default', path: '/home/fleet/apps/app/default', domain: null },
    mode: null,
    shared: [],
  },
  databases: [],
}

interface Variant {
  readonly domain: string | undefined
  readonly source: CopySource | undefined
}

const begin = async (row: InstanceRow, isFresh: boolean, variant: Variant): Promise<Creation> => {
  const { checkout, queries, store, routes } = await world()
  const projects = { steps: async () => [], login: async () => ownLogin('') }
  const deps = { queries, projects, store, routes }
  return { ...deps, ...variant, checkout: checkout(row), row, isFresh, found: {}, isUntouched: false }
}

const reserved = async ({ source: from }: Variant, given: Partial<InstanceRow> = {}): Promise<InstanceRow> =>
  (await world()).reserve({ copy: from?.record ?? null, ...given })

for (const domain of [undefined, 'shop.test'])
  for (const from of [undefined, source]) {
    const variant = { domain, source: from }
    testStepList('instance-creation', {
      variant: `${from ? 'a copy, ' : ''}${domain === undefined ? 'without a Route' : 'with a Route'}`,
      list: instanceCreation,
      fresh: async () => begin(await reserved(variant), true, variant),
      view: async ({ row }) => (await world()).view(row),
      log: creationLog,
      again: async ({ row, queries }) => {
        const stored = await queries.find(row.id)
        if (stored) return begin(stored, false, variant)
        const { id: _id, ...given } = row
        const anew = { ...given, status: 'reserved', profile: null } as const
        return begin(await reserved(variant, { ...anew, copy: from?.record ?? null }), true, variant)
      },
    })
  }
