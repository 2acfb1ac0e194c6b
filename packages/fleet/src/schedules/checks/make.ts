import type { DoctorCode } from '@fleet/contract'
import { lockOf } from '#/locks/api.ts'
import {
  asked,
  type Check,
  type CheckedResource,
  differs,
  type FamilyChecks,
  type NodeRecord,
  lifecycleCheck,
  nodeResource,
  type Question,
  type Verdict,
} from '#/nodes/api.ts'
import { mayHave } from '#/schedules/artifact.ts'
import { type Aspects, aspectsOf } from '#/schedules/checks/aspects.ts'
import {
  filesQuestion,
  type FoundSchedule,
  type FoundSchedules,
  idsQuestion,
} from '#/schedules/checks/found.ts'
import { withOwners } from '#/schedules/find.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { existing, findRow, rowsOnNode } from '#/schedules/queries.ts'
import { isRemovalWaiting } from '#/schedules/remove-later.ts'
import type { ScheduleRecord } from '#/schedules/record.ts'
import { accountOf, renderTexts, type ScheduleTexts } from '#/schedules/unit.ts'

/** The family `schedule` (DRF-049 to DRF-051). */
export const makeScheduleChecks = (deps: SchedulesDeps): FamilyChecks => ({
  family: 'schedule',
  checksOf: async (_call, node) => {
    const schedules = await withOwners(deps, await rowsOnNode(deps.store.db, node.id))
    const installed = schedules.filter(({ status }) => status === 'active')
    const question = filesQuestion(deps.root ?? '', installed)
    return [
      ...(mayHave(node) ? strangerChecks(deps, node) : []),
      ...schedules.map((schedule) => lifecycleOf(deps, schedule)),
      ...installed.flatMap((schedule) => fileChecks(schedule, question)),
    ]
  },
})

const resourceOf = ({ id, name }: ScheduleRecord): CheckedResource => ({ type: 'schedule', id, name })

/** A removal that waits for its run, which may take a day, is as it should be (SCHD-015). */
const lifecycleOf = (deps: SchedulesDeps, schedule: ScheduleRecord): Check =>
  lifecycleCheck(deps.store.locks, {
    code: 'schedule.lifecycle_not_active',
    resource: resourceOf(schedule),
    expected: 'active',
    seen: schedule.status,
    lock: lockOf('schedule', schedule.id).name,
    again: async () => {
      const row = await findRow(deps.store.db, schedule.id)
      return row?.status === 'removing' && (await isRemovalWaiting(deps, row.id)) ? undefined : row
    },
  })

/** What is on the Node and not of a Schedule of it: of one that is elsewhere, or of none. */
function strangerChecks(deps: SchedulesDeps, node: NodeRecord): readonly Check[] {
  const question = idsQuestion(deps.root ?? '')
  const counted = (
    code: DoctorCode,
    isCounted: (id: string, of: { readonly exists: boolean }) => boolean,
  ): Check =>
    asked(code, nodeResource(node), question, async (ids) => {
      const { db } = deps.store
      const own = new Set((await rowsOnNode(db, node.id)).map(({ id }) => id))
      const others = ids.filter((id) => !own.has(id))
      const known = await existing(db, others)
      const { length } = others.filter((id) => isCounted(id, { exists: known.has(id) }))
      return differs('none', length === 0 ? 'none' : String(length))
    })
  return [
    counted('schedule.orphan_artifact', (_id, { exists }) => !exists),
    counted('schedule.placement_mismatch', (_id, { exists }) => exists),
  ]
}

function fileChecks(schedule: ScheduleRecord, question: Question<FoundSchedules>): readonly Check[] {
  const wanted = renderTexts(schedule)
  const about = (code: DoctorCode, judge: (found: FoundSchedule) => Verdict): Check =>
    asked(code, resourceOf(schedule), question, (all) => {
      const found = all.get(schedule.id)
      return found ? judge(found) : { unverifiable: 'no_answer' }
    })
  const aspect = (code: DoctorCode, of: keyof Aspects): Check =>
    about(code, ({ texts }) => {
      const complete = completeTexts(texts)
      if (!complete || aspectsOf(complete)[of] === aspectsOf(wanted)[of]) return undefined
      return { expected: 'as recorded', observed: 'edited' }
    })
  return [
    about('schedule.artifact_missing', ({ modes }) => missingOf(Object.values(modes))),
    about('schedule.artifact_permissions_mismatch', ({ modes }) => permissionsOf(schedule, modes)),
    aspect('schedule.specification_mismatch', 'specification'),
    about('schedule.timer_state_mismatch', (found) => timerOf(schedule, found)),
    aspect('schedule.calendar_mismatch', 'calendar'),
    aspect('schedule.execution_context_mismatch', 'context'),
    aspect('schedule.completion_callback_mismatch', 'callback'),
  ]
}

const completeTexts = ({ script, service, timer }: Partial<ScheduleTexts>): ScheduleTexts | undefined =>
  script !== undefined && service !== undefined && timer !== undefined
    ? { script, service, timer }
    : undefined

const isThere = (mode: string): boolean => mode !== 'none' && mode !== 'foreign'

function missingOf(modes: readonly string[]): Verdict {
  const observed = modes.find((mode) => !isThere(mode))
  return observed === undefined ? undefined : { expected: 'installed', observed }
}

function permissionsOf(
  schedule: ScheduleRecord,
  { script, service, timer }: FoundSchedule['modes'],
): Verdict {
  const isOpen = (mode: string, expected: RegExp): boolean => isThere(mode) && !expected.test(mode)
  // The group of the account has its name, but where somebody chose another one.
  const scriptMode = accountOf(schedule) === 'root' ? /^640 \S+ \S+$/ : /^640 root (?!root$)\S+$/
  const unitMode = accountOf(schedule) === 'root' ? /^644 \S+ \S+$/ : /^644 root root$/
  const wrong = isOpen(script, scriptMode) || isOpen(service, unitMode) || isOpen(timer, unitMode)
  return wrong ? { expected: 'as installed', observed: 'changed' } : undefined
}

function timerOf({ desired_timer_state }: ScheduleRecord, found: FoundSchedule): Verdict {
  if (!isThere(found.modes.timer)) return undefined
  const { isKnown, isEnabled, isActive } = found
  if (!isKnown) return { unverifiable: 'no answer' }
  const observed = isEnabled && isActive ? 'enabled' : isEnabled || isActive ? 'partly' : 'disabled'
  return differs(desired_timer_state, observed)
}
