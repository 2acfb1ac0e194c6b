import type { DoctorCode } from '@fleet/contract'
import { ROOT_FILES, textFile } from '@fleet/shell'
import { MARKER, sha256 } from '#/managed-services/api.ts'
import {
  asked,
  type Check,
  type CheckedResource,
  differs,
  type FamilyChecks,
  nodeResource,
  type Question,
  readPrinted,
  stored,
  type Verdict,
} from '#/nodes/api.ts'
import { domainOf } from '#/processes/apply.ts'
import { makeJoin } from '#/processes/find.ts'
import type { ProcessesParts } from '#/processes/parts.ts'
import { residuesOn, rowsOnNode } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { renderUnit, unitNameOf } from '#/processes/unit.ts'

/** What is on the Node of one Process. */
interface FoundUnit {
  /** Digest of its own file, or `none` or `foreign`. */
  readonly file: string
  readonly active: string
  readonly sub: string
  /** It was restarted while Doctor looked. */
  readonly isRestarting: boolean
}

type FoundUnits = ReadonlyMap<number, FoundUnit>

/** The family `process` (PROC-046, DRF-055): records that nobody finished, and units that differ from their records. */
export const makeProcessChecks = (parts: ProcessesParts): FamilyChecks => ({
  family: 'process',
  checksOf: async (_call, node) => {
    const join = makeJoin(parts)
    const rows = await Promise.all((await rowsOnNode(parts.store.db, node.id)).map(join))
    const processes = rows.filter((process) => process !== undefined)
    const installed = processes.filter(({ status }) => status === 'active')
    const question = unitsQuestion(parts.root ?? '', installed)
    const onNode = await Promise.all(
      installed.map(async (process) =>
        unitChecks(process, question, sha256(renderUnit(process, await domainOf(parts, process)))),
      ),
    )
    return [...processes.map(lifecycleOf), ...onNode.flat()]
  },
})

const resourceOf = ({ id, name }: ProcessRecord): CheckedResource => ({ type: 'process', id, name })

const lifecycleOf = (process: ProcessRecord): Check =>
  stored('process.lifecycle_not_active', resourceOf(process), () => differs('active', process.status))

function unitChecks(
  process: ProcessRecord,
  question: Question<FoundUnits>,
  digest: string,
): readonly Check[] {
  const about = (code: DoctorCode, judge: (unit: FoundUnit) => Verdict): Check =>
    asked(code, resourceOf(process), question, (found) => {
      const unit = found.get(process.id)
      return unit ? judge(unit) : { unverifiable: 'no_answer' }
    })
  const isOwn = ({ file }: FoundUnit): boolean => file !== 'none' && file !== 'foreign'
  return [
    about('process.runtime_missing', (unit) =>
      isOwn(unit) ? undefined : { expected: 'installed', observed: unit.file },
    ),
    about('process.unit_mismatch', (unit) =>
      isOwn(unit) && unit.file !== digest ? { expected: 'as recorded', observed: 'edited' } : undefined,
    ),
    about('process.state_mismatch', (unit) => (isOwn(unit) ? mismatchOf(process, unit) : undefined)),
    about('process.crash_loop', (unit) => (isOwn(unit) && isLooping(process, unit) ? LOOP : undefined)),
  ]
}

const LOOP = { expected: 'running', observed: 'restarting' } as const

/** PROC-046 */
const isLooping = ({ desired_state }: ProcessRecord, { active, sub, isRestarting }: FoundUnit): boolean =>
  desired_state === 'running' && ((active === 'activating' && sub === 'auto-restart') || isRestarting)

const RUNNING: ReadonlySet<string> = new Set(['active', 'activating', 'reloading'])

function mismatchOf(process: ProcessRecord, unit: FoundUnit): Verdict {
  if (isLooping(process, unit)) return undefined
  const { desired_state } = process
  if (RUNNING.has(unit.active)) return differs(desired_state, 'running')
  // One that ended with an error before it was stopped is stopped all the same.
  return differs(
    desired_state,
    desired_state === 'running' && unit.active === 'failed' ? 'failed' : 'stopped',
  )
}

const unitsQuestion = (root: string, processes: readonly ProcessRecord[]): Question<FoundUnits> => ({
  source: [ROOT_FILES, MARKER, textFile('units.sh', import.meta.url)].join('\n'),
  args: [root, ...processes.flatMap((process) => [String(process.id), unitNameOf(process)])],
  read: (printed) =>
    readPrinted(printed, (answer) => {
      const valueOf = (name: string, key: string): string =>
        new RegExp(`^${key}=([\\w-]{1,32})$`, 'm').exec(answer.text(name))?.[1] ?? ''
      return new Map(
        processes.map(({ id }) => [
          id,
          {
            file: answer.text(`file.${id}`),
            active: valueOf(`state.${id}`, 'ActiveState'),
            sub: valueOf(`state.${id}`, 'SubState'),
            isRestarting: valueOf(`before.${id}`, 'NRestarts') !== valueOf(`after.${id}`, 'NRestarts'),
          },
        ]),
      )
    }),
})

/** Units that removed Processes left on a Node. */
export const makeResidueChecks = ({ store }: Pick<ProcessesParts, 'store'>): FamilyChecks => ({
  family: 'node',
  checksOf: async (_call, node) => [
    stored('node.process_residue_retained', nodeResource(node), async () => {
      const { length } = await residuesOn(store.db, node.id)
      return length === 0 ? undefined : { expected: 'none', observed: String(length) }
    }),
  ],
})
