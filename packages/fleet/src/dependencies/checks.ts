import type { Store } from '@fleet/store'
import { attemptsOn } from '#/dependencies/queries.ts'
import { type FamilyChecks, stored } from '#/nodes/api.ts'

/** The part of the family `instance` about inventories: those whose last scan failed after one that succeeded. */
export const makeDependencyChecks = ({ store }: { readonly store: Pick<Store, 'db'> }): FamilyChecks => ({
  family: 'instance',
  checksOf: async (_call, node) => {
    const scanned = Map.groupBy(await attemptsOn(store.db, node.id), ({ instance_id }) => instance_id)
    return [...scanned].map(([id, attempts]) => {
      const resource = { type: 'instance', id, name: attempts[0]?.name ?? '' }
      return stored('instance.dependencies_stale', resource, () => {
        const failed = attempts.filter((one) => one.observed && one.error_code !== null)
        return failed.length === 0
          ? undefined
          : {
              expected: 'current',
              observed: failed.map(({ ecosystem, error_code }) => `${ecosystem} ${error_code}`).join(', '),
            }
      })
    })
  },
})
