import type { UnitReport } from '@fleet/contract'
import { Secret } from '@fleet/kernel'
import { type Answer, MalformedOutput, ROOT_FILES, textFile } from '@fleet/shell'
import { EXECUTABLE_FUNCTIONS, executablePlaceIn } from '#/managed-services/executable/scripts.ts'
import { type ExecutableState, executableStateOf } from '#/managed-services/executable/state.ts'
import {
  type FailureReason,
  failureReasons,
  type HookMoment,
  type HookReport,
  type ServicePlaces,
} from '#/managed-services/declaration.ts'
import { NO_WRITES, renderPlan, UNIT_DIRECTORY, type Writes } from '#/managed-services/plan.ts'
import { type ServiceState, serviceStateOf } from '#/managed-services/state.ts'
import { hookReportOf, troubleOf } from '#/managed-services/trouble.ts'
import { fullOf, type NodeScript } from '#/nodes/api.ts'

/** `unit_report UNIT`, also for scripts that start units of others. */
export const UNIT_REPORT: string = textFile('commands/report.sh', import.meta.url)

export const PLAN = textFile('commands/plan.sh', import.meta.url)
const INPUT = textFile('commands/input.sh', import.meta.url)
export const STATE = [
  textFile('commands/release-state.sh', import.meta.url),
  textFile('commands/state.sh', import.meta.url),
].join('\n')
const FILES = [
  textFile('commands/lock.sh', import.meta.url),
  textFile('commands/files.sh', import.meta.url),
].join('\n')
const RELEASE = textFile('commands/release.sh', import.meta.url)
const UNITS = [
  textFile('commands/begin.sh', import.meta.url),
  textFile('commands/units.sh', import.meta.url),
].join('\n')

/** A service and the root folder of the Node, which is empty but in tests. */
export interface Target {
  readonly service: ServicePlaces
  readonly root: string
}

/** What a script says that did not do it. */
export class ServiceFailure {
  readonly reason: FailureReason
  readonly trouble: UnitReport | undefined
  readonly reported: HookReport | undefined
  /** Mount points without room. */
  readonly full: readonly string[]
  constructor(
    reason: FailureReason,
    trouble?: UnitReport,
    reported?: HookReport,
    full: readonly string[] = [],
  ) {
    this.reason = reason
    this.trouble = trouble
    this.reported = reported
    this.full = full
  }
}

/** Whose code it is when it breaks off the service says. */
export type ServiceScript<I, A> = Omit<NodeScript<I, A | ServiceFailure>, 'broken'>

export interface Inspection {
  readonly state: ServiceState
  /** Undefined for a service that does not use it. */
  readonly program: ExecutableState | undefined
  readonly facts: Answer
}

export const inspectService: ServiceScript<Target, Inspection> = {
  ...script('inspect a service', [
    PLAN,
    INPUT,
    STATE,
    EXECUTABLE_FUNCTIONS,
    textFile('commands/inspect.sh', import.meta.url),
  ]),
  args: ({ service, root }) => {
    const { directory, link } = executablePlaceIn(root)
    return [root, service.name, ...(service.usesExecutable ? [directory, link] : ['-', '-'])]
  },
  stdin: ({ service }) => renderPlan(service, NO_WRITES, ['facts']),
  timeoutSeconds: 60,
  read: (answer, { service }) =>
    failureIn(answer) ?? {
      state: serviceStateOf(service, answer),
      program: service.usesExecutable ? executableStateOf(answer) : undefined,
      facts: answer,
    },
}

export interface Application extends Target {
  readonly writes: Writes
  /** False leaves the units as they are. */
  readonly start: boolean
}

export interface Applied {
  readonly state: ServiceState
  /** A unit was enabled, started, restarted or reloaded. */
  readonly hasStarted: boolean
  /** What its hooks answered among the rest. */
  readonly answer: Answer
}

const APPLY_HOOKS: readonly HookMoment[] = ['admit', 'check', 'prepare', 'probe', 'reload']

/** Everything is written and checked before anything is switched; what does not start gives way to what was there. */
export const applyService: ServiceScript<Application, Applied> = {
  ...script('apply a service', [
    PLAN,
    INPUT,
    STATE,
    FILES,
    RELEASE,
    UNIT_REPORT,
    UNITS,
    textFile('commands/apply.sh', import.meta.url),
  ]),
  args: ({ service, root, writes, start }) => [
    root,
    service.name,
    writes.files.size > 0 || writes.release ? 'changed' : 'same',
    start ? 'start' : 'rest',
    [...writes.files.keys()].some((path) => path.startsWith(`${UNIT_DIRECTORY}/`)) ? 'units' : 'no-units',
  ],
  stdin: ({ service, writes }) => renderPlan(service, writes, APPLY_HOOKS),
  timeoutSeconds: 180,
  read: (answer, { service, writes }) =>
    failureIn(answer, [...(service.secrets ?? []), ...writes.files.values()]) ?? {
      state: serviceStateOf(service, answer),
      hasStarted: answer.flag('changed'),
      answer,
    },
}

export interface Departure extends Target {
  /** `stop` ends the units only. */
  readonly depth: 'stop' | 'remove'
}

export interface Departed {
  /** Paths that the declaration keeps and that are there. */
  readonly kept: readonly string[]
}

export const removalScript: ServiceScript<Departure, Departed> = {
  ...script('remove a service', [
    PLAN,
    INPUT,
    FILES,
    UNIT_REPORT,
    EXECUTABLE_FUNCTIONS,
    textFile('commands/remove.sh', import.meta.url),
  ]),
  args: ({ service, root, depth }) => {
    const { directory, link } = executablePlaceIn(root)
    return [root, service.name, depth, ...(service.removal?.takesExecutable ? [directory, link] : ['-', '-'])]
  },
  stdin: ({ service }) => renderPlan(reversed(service), NO_WRITES, ['admit']),
  timeoutSeconds: 60,
  read: (answer, { service }) => {
    const failure = failureIn(answer, service.secrets)
    if (failure) return failure
    if (!answer.flag('gone')) throw new MalformedOutput('not what the script answers')
    return { kept: answer.text('kept').split('\n').filter(Boolean) }
  },
}

/** State and last lines of one unit, whether it runs or not. */
export const reportUnit: NodeScript<string, UnitReport | undefined> = {
  source: ['# report a unit', ROOT_FILES, UNIT_REPORT, 'unit_report "$1"'].join('\n'),
  args: (unit) => [unit],
  timeoutSeconds: 20,
  reasons: {},
  broken: 'node.command_failed',
  read: (answer) => troubleOf(answer),
}

const reversed = (service: ServicePlaces): ServicePlaces => ({
  ...service,
  units: service.units.toReversed(),
  folders: service.folders?.toReversed() ?? [],
})

function script(title: string, parts: readonly string[]) {
  return { source: [`# ${title}`, ROOT_FILES, ...parts].join('\n'), reasons: {} }
}

function failureIn(answer: Answer, secrets: ReadonlyArray<string | Secret> = []): ServiceFailure | undefined {
  if (!answer.has('failed')) return undefined
  const hidden = secrets.filter((content) => content instanceof Secret)
  return new ServiceFailure(
    answer.word('failed', failureReasons),
    troubleOf(answer, hidden),
    hookReportOf(answer, hidden),
    fullOf(answer),
  )
}
