import type { Store } from '@fleet/store'
import { lockOf } from '#/locks/api.ts'
import { type Check, type FamilyChecks, type Finding, stored } from '#/nodes/api.ts'
import { openUpdatesOn, type OpenUpdateState } from '#/project-updates/queries.ts'

/** The updates' part of the family `project`: one that nobody works on any more, on each Node with a checkout (decision 0215). */
export const makeUpdateChecks = ({
  store,
}: {
  readonly store: Pick<Store, 'db' | 'locks'>
}): FamilyChecks => ({
  family: 'project',
  checksOf: async (_call, node) =>
    (await openUpdatesOn(store.db, node.id)).map((open) => checkOf(store.locks, open)),
})

function checkOf(locks: Store['locks'], { id, name, state, failed_step: step }: OpenUpdateState): Check {
  const resource = { type: 'project', id, name }
  const { name: lock } = lockOf('project', id)
  const judge = async (): Promise<Finding | undefined> =>
    state === null || (await locks.holderOf(lock)) !== undefined
      ? undefined
      : {
          expected: 'finished',
          observed: `${state.replaceAll('_', ' ')}${step === null ? '' : `, at ${step}`}`,
        }
  return stored('project.update_unfinished', resource, judge)
}
