import { fail } from '@fleet/contract'
import type { ProjectValues } from '@fleet/store'
import type { Call } from '#/call.ts'
import { holdingAll, lockOf } from '#/locks/api.ts'
import type { ProjectUpdatesDeps } from '#/project-updates/deps.ts'
import { perform, rollBack } from '#/project-updates/run.ts'
import { NOTHING_FOUND, type ProjectUpdate, updateOf } from '#/project-updates/update.ts'
import {
  beginUpdate,
  holdingProject,
  lockUnchanged,
  type ProjectRecord,
  type ProjectUpdateRow,
  type SourceChange,
  type SourceChanges,
} from '#/projects/api.ts'

/** Fills the port of the Projects: how Instances follow the slug, repository, branch and root of their Project. */
export const makeSourceChanges = (deps: ProjectUpdatesDeps): SourceChanges => ({
  instancesOf: (projectId) => deps.checkouts.typed(projectId),
  holding: (call, projectId, work) => holding(deps, call, projectId, work),
  begin: (call, change) => begin(deps, call, change),
  resume: (call, open, change) => resume(deps, call, open, change),
})

/** Instances come before their Project in the order of locks, so they are read before it is held, and again then. */
async function holding<T>(
  { store, checkouts }: ProjectUpdatesDeps,
  call: Call,
  projectId: number,
  work: (instances: number) => Promise<T>,
): Promise<T> {
  const known = await checkouts.of(projectId)
  return checkouts.whileIdle(call, known, () =>
    holdingProject(store, call, projectId, async () => {
      const ids = new Set(known.map(({ row }) => row.id))
      const now = await checkouts.of(projectId)
      if (now.some(({ row }) => !ids.has(row.id))) throw fail('project.lifecycle_busy')
      const operations = now
        .filter(({ row }) => row.environment === 'development')
        .map(({ row }) => lockOf('instance', row.id, { busy: 'env.operation_busy' }))
      return holdingAll(store, call, operations, () => work(now.length))
    }),
  )
}

async function begin(deps: ProjectUpdatesDeps, call: Call, change: SourceChange): Promise<ProjectRecord> {
  return finish(updateOf(deps, call, await reserve(deps, change), change))
}

/**
 * The request and the values of before, ahead of any work (PRJ-041); from then on no other update is stored. Throws
 * `project.lifecycle_busy` where one was since this was planned (decision 0327).
 */
export const reserve = (
  { store, clock }: ProjectUpdatesDeps,
  { project, requested, values }: Omit<SourceChange, 'check'>,
): Promise<ProjectUpdateRow> =>
  store.transaction(async (db) => {
    if (!(await lockUnchanged(db, project))) throw fail('project.lifecycle_busy')
    return beginUpdate(db, {
      project_id: project.id,
      state: 'reserved',
      requested,
      next_values: values,
      previous_values: previousOf(project, values),
      found: NOTHING_FOUND,
      step_events: {},
      failed_step: null,
      error_code: null,
      started_at: clock.now().toISOString(),
      finished_at: null,
    })
  })

const previousOf = (project: ProjectRecord, values: ProjectValues): ProjectValues => {
  const stored = new Map<string, unknown>(Object.entries(project))
  return Object.fromEntries(Object.keys(values).map((column) => [column, stored.get(column) ?? null]))
}

/** What was being undone is undone first; then the request begins anew (PRJ-044). */
async function resume(
  deps: ProjectUpdatesDeps,
  call: Call,
  open: ProjectUpdateRow,
  change: SourceChange,
): Promise<ProjectRecord> {
  const update = updateOf(deps, call, open, change)
  if (open.state !== 'rolling_back') return finish(update)
  await rollBack(update)
  return begin(deps, call, change)
}

async function finish(update: ProjectUpdate): Promise<ProjectRecord> {
  await perform(update)
  return update.after
}
