import { fail } from '@fleet/contract'
import type { Step } from '@fleet/steps'
import type { ProjectUpdateFound } from '@fleet/store'
import { isDeepStrictEqual } from 'node:util'
import { publishChanged } from '#/project-updates/publish-changed.ts'
import {
  all,
  changes,
  followersOf,
  isOnDefaultBranch,
  type ProjectUpdate,
  productionIn,
  store,
} from '#/project-updates/update.ts'
import { storeProject } from '#/projects/api.ts'

/** One transaction: from here on the new values are in effect, and the change only goes forward (PRJ-043, PRJ-044). */
export const publish: Step<ProjectUpdate> = {
  name: 'publish',
  commits: true,
  run: async (update) => {
    requireProduction(update, productionIn(await all(update)))
    const {
      deps,
      stored: { record },
      after,
    } = update
    const switched = changes(update, 'default_branch')
      ? (await followersOf(update)).filter(isOnDefaultBranch)
      : []
    await deps.store.transaction(async (tx) => {
      await storeProject(tx, record.project_id, record.next_values)
      for (const { row } of switched)
        if (after.default_branch !== null) await deps.checkouts.storeBranch(tx, row.id, after.default_branch)
      await store(update, { state: 'publishing' }, tx)
    })
    await publishChanged(update)
  },
}

/** No production Instance changed. What is found otherwise is what the identical request compares with (PRJ-043). */
export const confirm: Step<ProjectUpdate> = {
  name: 'confirm',
  run: async (update) => {
    const production = productionIn(await all(update))
    try {
      requireProduction(update, production)
    } catch (error) {
      await store(update, { found: { ...update.stored.record.found, production } })
      throw error
    }
  },
}

/** Throws `project.production_ownership_changed`. */
function requireProduction(
  { stored: { record } }: ProjectUpdate,
  now: ProjectUpdateFound['production'],
): void {
  const before = record.found.production
  if (isDeepStrictEqual(before, now)) return
  const ids = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  const instances = ids.filter((id) => before[id] !== now[id]).map(Number)
  throw fail('project.production_ownership_changed', { details: { instances } })
}
