import type { DoctorCode, ProcessRuntime } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { FIELD_WRITERS, ROOT_FILES, textFile } from '@fleet/shell'
import { lockOf } from '#/locks/api.ts'
import { MARKER } from '#/managed-services/api.ts'
import {
  asked,
  type Check,
  type CheckedResource,
  differs,
  type FamilyChecks,
  lifecycleCheck,
  nodeResource,
  type Question,
  readPrinted,
  stored,
  type StoredCheck,
  type Verdict,
} from '#/nodes/api.ts'
import { type WantedDigests, wantedDigests } from '#/processes/apply.ts'
import { VALUES_FOLDER } from '#/processes/connections/file.ts'
import { isBehind, ready } from '#/processes/connections/values.ts'
import { makeJoin } from '#/processes/find.ts'
import { dockerPolicyOf } from '#/processes/containers/container.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { findRow, residuesOn, rowsOnNode } from '#/processes/queries.ts'
import { startsAtBoot } from '#/processes/rules.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { CONTAINER_FUNCTIONS } from '#/processes/commands/containers.ts'
import { maySleep } from '#/processes/sleep/sleepy.ts'
import { AWAKE_MARKERS } from '#/web-server/api.ts'
import { artifactNameOf, unitNameOf } from '#/processes/unit.ts'

/** What is on the Node of one Process. */
interface FoundArtifact {
  /** Digest of its own unit file or container, or `none`, `foreign`, or `silent` where Docker does not answer. */
  readonly file: string
  /** Digest of the file with the values of its connections; empty without one. */
  readonly values: string
  readonly active: string
  readonly sub: string
  /** Whether it starts at boot, `yes`, `no` or `unknown`: a container is started by Docker as its policy says. */
  readonly boots: string
  /** The restart policy of a container; empty of a unit, whose file says it. */
  readonly policy: string
  /** It was restarted while Doctor looked. */
  readonly isRestarting: boolean
  /** Its Instance is put to sleep, or was never woken since the Node started. */
  readonly isAsleep: boolean
}

type FoundArtifacts = ReadonlyMap<number, FoundArtifact>

/** The family `process` (PROC-046, DRF-055): records that nobody finished, and units that differ from their records. */
export const makeProcessChecks = (deps: ProcessesDeps): FamilyChecks => ({
  family: 'process',
  checksOf: async (_call, node) => {
    const join = makeJoin(deps)
    const rows = await Promise.all((await rowsOnNode(deps.store.db, node.id)).map(join))
    const processes = rows.filter((process) => process !== undefined)
    const installed = processes.filter(({ status }) => status === 'active')
    const of = (runtime: ProcessRuntime) => installed.filter((process) => process.runtime === runtime)
    const questions = {
      systemd: unitsQuestion(deps.root ?? '', of('systemd')),
      docker: containersQuestion(deps.root ?? '', of('docker')),
    }
    const onNode = await Promise.all(
      installed.map(async (process) =>
        artifactChecks(process, questions[process.runtime], await wantedOf(deps, process)),
      ),
    )
    return [
      ...processes.map((process) => ofServer(deps, process, lifecycleOf(deps, process))),
      ...onNode.flat(),
    ]
  },
})

const resourceOf = ({ id, name }: ProcessRecord): CheckedResource => ({ type: 'process', id, name })

const lifecycleOf = ({ store }: ProcessesDeps, process: ProcessRecord): StoredCheck =>
  lifecycleCheck(store.locks, {
    code: 'process.lifecycle_not_active',
    resource: resourceOf(process),
    expected: 'active',
    seen: process.status,
    lock: lockOf('process', process.id).name,
    again: () => findRow(store.db, process.id),
  })

/** Only the server can be finished or removed, and its Process with it. */
const ofServer = ({ databases }: ProcessesDeps, { id }: ProcessRecord, check: StoredCheck): Check => ({
  ...check,
  judge: async () => {
    const verdict = await check.judge()
    if (verdict === undefined || !('observed' in verdict)) return verdict
    const isServer = (await databases.serverOf(id)) !== undefined
    return isServer ? { ...verdict, observed: `${verdict.observed}, of a database server` } : verdict
  },
})

/** What is to be on the Node; undefined where the values of a connection cannot be read. */
type Wanted = (WantedDigests & { readonly isBehind: boolean }) | undefined

async function wantedOf(deps: ProcessesDeps, process: ProcessRecord): Promise<Wanted> {
  try {
    const wanted = await ready(deps, process)
    return { ...(await wantedDigests(deps, wanted)), isBehind: isBehind(deps, wanted) }
  } catch (error) {
    if (error instanceof CodedError) return undefined
    throw error
  }
}

function artifactChecks(
  process: ProcessRecord,
  question: Question<FoundArtifacts>,
  wanted: Wanted,
): readonly Check[] {
  const about = (code: DoctorCode, judge: (unit: FoundArtifact) => Verdict): Check =>
    asked(code, resourceOf(process), question, (found) => {
      const unit = found.get(process.id)
      return unit ? judge(unit) : { unverifiable: 'no_answer' }
    })
  return [
    about('process.runtime_missing', (unit) =>
      isMissing(unit) ? { expected: 'installed', observed: unit.file } : undefined,
    ),
    about('process.unit_mismatch', (unit) =>
      isMissing(unit) || unit.file === 'silent' ? undefined : artifactVerdict(unit, wanted),
    ),
    about('process.state_mismatch', (unit) => (isMissing(unit) ? undefined : mismatchOf(process, unit))),
    about('process.crash_loop', (unit) => (!isMissing(unit) && isLooping(process, unit) ? LOOP : undefined)),
  ]
}

function artifactVerdict({ file, values, active }: FoundArtifact, wanted: Wanted): Verdict {
  if (!wanted) return { unverifiable: 'the password of a connection cannot be decrypted' }
  if (file !== wanted.artifact) return { expected: 'as recorded', observed: 'edited' }
  const isOld = wanted.values !== undefined && wanted.values !== values
  return isOld || (wanted.isBehind && RUNNING.has(active))
    ? { expected: 'the values of its connections', observed: 'other values' }
    : undefined
}

const isMissing = ({ file }: FoundArtifact): boolean => file === 'none' || file === 'foreign'

const LOOP = { expected: 'running', observed: 'restarting' } as const

/** PROC-046 */
const isLooping = ({ desired_state }: ProcessRecord, { active, sub, isRestarting }: FoundArtifact): boolean =>
  desired_state === 'running' && ((active === 'activating' && sub === 'auto-restart') || isRestarting)

const RUNNING: ReadonlySet<string> = new Set(['active', 'activating', 'reloading', 'running', 'restarting'])

function mismatchOf(process: ProcessRecord, unit: FoundArtifact): Verdict {
  if (isLooping(process, unit)) return undefined
  // Its next visitor starts it (HIB-018).
  if (unit.isAsleep && maySleep(process) && !RUNNING.has(unit.active)) return undefined
  const { desired_state } = process
  // A Docker that is to run it and does not answer is one that does not run (decision 0177).
  if (unit.file === 'silent' ? desired_state === 'stopped' : unit.active === '')
    return { unverifiable: 'no answer' }
  // Of a container: it ended, and Docker waits before it starts it again. Crash loops are of units alone (PROC-046).
  if (desired_state === 'running' && unit.active === 'restarting') return LOOP
  if (RUNNING.has(unit.active)) return differs(desired_state, 'running') ?? laterFinding(process, unit)
  // One that ended with an error before it was stopped is stopped all the same.
  return differs(
    desired_state,
    desired_state === 'running' && unit.active === 'failed' ? 'failed' : 'stopped',
  )
}

/** Of what runs now, but not after its next crash or boot. */
function laterFinding(process: ProcessRecord, { boots, policy }: FoundArtifact): Verdict {
  if (process.runtime === 'docker')
    return differs(`restart policy ${dockerPolicyOf(process)}`, `restart policy ${policy}`)
  if (boots !== 'no' || !startsAtBoot(process)) return undefined
  return { expected: 'starts at boot', observed: 'does not start at boot' }
}

/** Whose awake marker says whether it sleeps: a Process of a Node never does. */
const markerOwner = ({ instanceId }: ProcessRecord): string => String(instanceId ?? 'none')

const unitsQuestion = (root: string, processes: readonly ProcessRecord[]): Question<FoundArtifacts> => ({
  source: [ROOT_FILES, MARKER, textFile('units.sh', import.meta.url)].join('\n'),
  args: [
    root,
    AWAKE_MARKERS,
    VALUES_FOLDER,
    ...processes.flatMap((process) => [String(process.id), unitNameOf(process), markerOwner(process)]),
  ],
  read: (printed) =>
    readPrinted(printed, (answer) => {
      const valueOf = (name: string, key: string): string =>
        new RegExp(`^${key}=([\\w-]{1,32})$`, 'm').exec(answer.text(name))?.[1] ?? ''
      return new Map(
        processes.map(({ id }) => [
          id,
          {
            file: answer.text(`file.${id}`),
            values: answer.text(`values.${id}`),
            active: valueOf(`state.${id}`, 'ActiveState'),
            sub: valueOf(`state.${id}`, 'SubState'),
            boots: answer.text(`boots.${id}`),
            policy: '',
            isRestarting: valueOf(`before.${id}`, 'NRestarts') !== valueOf(`after.${id}`, 'NRestarts'),
            isAsleep: answer.text(`awake.${id}`) === 'no',
          },
        ]),
      )
    }),
})

const containersQuestion = (root: string, processes: readonly ProcessRecord[]): Question<FoundArtifacts> => ({
  source: [FIELD_WRITERS, CONTAINER_FUNCTIONS, textFile('containers.sh', import.meta.url)].join('\n'),
  args: [
    root,
    AWAKE_MARKERS,
    ...processes.flatMap((process) => [String(process.id), artifactNameOf(process), markerOwner(process)]),
  ],
  read: (printed) =>
    readPrinted(printed, (answer) => {
      return new Map(
        processes.map(({ id }) => [
          id,
          {
            file: answer.text(`digest.${id}`),
            values: '',
            active: answer.text(`state.${id}`),
            sub: '',
            boots: 'unknown',
            policy: answer.text(`policy.${id}`),
            isRestarting: false,
            isAsleep: answer.text(`awake.${id}`) === 'no',
          },
        ]),
      )
    }),
})

/** Units and containers that removed Processes left on a Node. */
export const makeResidueChecks = ({ store }: Pick<ProcessesDeps, 'store'>): FamilyChecks => ({
  family: 'node',
  checksOf: async (_call, node) => [
    stored('node.process_residue_retained', nodeResource(node), async () => {
      const { length } = await residuesOn(store.db, node.id)
      return length === 0 ? undefined : { expected: 'none', observed: String(length) }
    }),
  ],
})
