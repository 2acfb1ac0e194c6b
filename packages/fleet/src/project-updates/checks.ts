import type { Store } from '@fleet/store'
import { lockOf } from '#/locks/api.ts'
import { type Check, type FamilyChecks, type Finding, stored, unlessHeld } from '#/nodes/api.ts'
import { openUpdatesOn, type OpenUpdateState } from '#/project-updates/queries.ts'

/** The updates' part of the family `project`: one that nobody works on any more, on each Node with a checkout (decision 0215). */
export const makeUpdateChecks = ({
  store,
}: {
  readonly store: Pick<Store, 'db' | 'locks'>
}): FamilyChecks => ({
  family: 'project',
  checksOf: async (_call, node) =>
    (await openUpdatesOn(store.db, node.id)).map((open) => checkOf(store, node.id, open)),
})

function checkOf({ db, locks }: Pick<Store, 'db' | 'locks'>, nodeId: number, seen: OpenUpdateState): Check {
  const resource = { type: 'project', id: seen.id, name: seen.name }
  return stored('project.update_unfinished', resource, async () =>
    seen.state === null
      ? undefined
      : unlessHeld(locks, lockOf('project', seen.id).name, async () =>
          unfinished((await openUpdatesOn(db, nodeId)).find(({ id }) => id === seen.id)),
        ),
  )
}

const unfinished = (open: OpenUpdateState | undefined): Finding | undefined =>
  open && open.state !== null
    ? {
        expected: 'finished',
        observed: `${open.state.replaceAll('_', ' ')}${open.failed_step === null ? '' : `, at ${open.failed_step}`}`,
      }
    : undefined
