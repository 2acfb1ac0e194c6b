import { projectUpdateRules, type ProjectUpdateState } from '@fleet/contract'
import { progressOf, type Step, type StepEvent, stepList, type StepLog } from '@fleet/steps'
import { codeOf } from '#/error-details.ts'
import { checkoutSteps } from '#/project-updates/steps/checkouts.ts'
import { domains, environments, routes } from '#/project-updates/steps/domains.ts'
import { preflight } from '#/project-updates/steps/preflight.ts'
import { confirm, publish } from '#/project-updates/steps/publish.ts'
import { runtimes, sources } from '#/project-updates/steps/root.ts'
import { changes, type ProjectUpdate, store } from '#/project-updates/update.ts'
import type { ProjectUpdateRow } from '#/projects/api.ts'

const check: Step<ProjectUpdate> = { name: 'preflight', run: preflight }

/** Checked, prepared beside what is in effect, published, cleaned up (PRJ-041 to PRJ-044). */
export const projectUpdate = stepList<ProjectUpdate>(
  'project-update',
  (update) => {
    const [hasSlug, hasRoot] = [changes(update, 'slug'), changes(update, 'root')]
    return [
      check,
      ...checkoutSteps(update),
      ...(hasSlug ? [domains, environments] : []),
      publish,
      ...(hasSlug ? [routes] : []),
      ...(hasRoot ? [sources] : []),
      ...(hasSlug || hasRoot ? [runtimes] : []),
      confirm,
    ]
  },
  { forwardOnly: ({ stored }) => projectUpdateRules[stored.record.state].isPublished },
)

/** What the record says after an event. Once published it stays so: a failure waits for the identical request. */
function stateAfter(step: string, event: StepEvent): ProjectUpdateState | undefined {
  if (event === 'undoing') return 'rolling_back'
  if (event === 'done' && step === check.name) return 'preflighted'
  if (event === 'started' && step === publish.name) return 'prepared'
  if (event === 'started' && step === confirm.name) return 'cleaning_up'
  return event === 'done' && step === confirm.name ? 'complete' : undefined
}

export const updateLog = (update: ProjectUpdate): StepLog => ({
  progress: async () => progressOf(update.stored.record.step_events),
  record: async (step, event, cause) => {
    const {
      stored: { record },
      deps,
    } = update
    const state = stateAfter(step, event)
    const values: Partial<ProjectUpdateRow> = {
      step_events: { ...record.step_events, [step]: event },
      ...(state && !(state === 'prepared' && projectUpdateRules[record.state].isPublished) ? { state } : {}),
      ...(event === 'failed' ? { failed_step: step, error_code: codeOf(cause) } : {}),
      ...(state === 'complete'
        ? { finished_at: deps.clock.now().toISOString(), failed_step: null, error_code: null }
        : {}),
    }
    await store(update, values)
  },
})
