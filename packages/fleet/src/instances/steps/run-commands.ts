import { type ErrorCode, fail } from '@fleet/contract'
import { CodedError, type Details } from '@fleet/kernel'
import { noLog, stepList, type StepLog } from '@fleet/steps'
import { type CheckoutSession, nodeDetail } from '#/instances/checkout-session.ts'
import { runStep, type StepEnd as Ended, type StepRun } from '#/instances/commands/run-step.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { performSteps } from '#/perform-steps.ts'
import type { LifecycleList, LifecycleCommand } from '#/projects/api.ts'
import { directoryProblem } from './directory-problem.ts'
import { placeOf } from './place.ts'

/**
 * How a step that did not succeed ended: `failed` with an exit status, `timeout` by its own limit, `missing` program (126,
 * 127), `deadline` of the request, `unconfirmed` when the connection ended first.
 */
export type StepEnd = 'failed' | 'timeout' | 'missing' | 'deadline' | 'unconfirmed'

/** A step that did not succeed. Holds no command text and no output (PRJ-075). */
export class StepStopped extends Error {
  override readonly name = 'StepStopped'
  readonly step: string
  readonly outcome: StepEnd
  readonly exitCode: number | undefined
  constructor(
    step: string,
    outcome: StepEnd,
    options: { readonly exitCode?: number; readonly cause?: unknown } = {},
  ) {
    super(`step ${step}: ${outcome}`, { cause: options.cause })
    this.step = step
    this.outcome = outcome
    this.exitCode = options.exitCode
  }
}

/** Seconds kept so that the Node reports a step's end before the request's own time is over. */
const REPORT_SECONDS = 2
/** Above a step's limit: the wait for an earlier script, and its report. */
const GRACE_SECONDS = 20

/** A list of a Project's own commands, run in the checkout of an Instance. */
export interface CommandRun {
  readonly checkout: CheckoutSession
  readonly row: InstanceRow
  readonly list: LifecycleList
  readonly commands: readonly LifecycleCommand[]
  /** What a new Instance may take its dependencies from. */
  readonly seed?: StepRun['seed']
  /** Each runs whatever becomes of the others (PRJ-069). */
  readonly isWhole?: boolean
  /** What of the list is done already; each run begins with the first step when absent (PRJ-064). */
  readonly log?: StepLog
}

/** Nothing of it is undone: the commands are the Project's own. */
export const projectCommands = stepList<CommandRun>(
  'project-commands',
  ({ commands, isWhole = false }) =>
    commands.map((command) => ({
      name: command.name,
      isOptional: isWhole,
      run: (run) => runOne(run, command),
    })),
  { forwardOnly: true },
)

/**
 * Runs the commands in order and stops at the first that does not succeed. Throws StepStopped, or what the Node's shell
 * throws. Answers the failures of a list that runs whole.
 */
export async function runCommands(run: CommandRun): Promise<readonly unknown[]> {
  const { checkout, list } = run
  const missed = await performSteps(projectCommands, run, {
    call: checkout.session.call,
    log: run.log ?? noLog,
    nameFor: (step) => `${list}:${step}`,
    errorOf: ({ step, cause }) => (isOutOfTime(cause) ? new StepStopped(step, 'deadline', { cause }) : cause),
  })
  return missed.map(({ cause }) => cause)
}

/** The time was over between two commands. */
const isOutOfTime = (cause: unknown): boolean =>
  cause instanceof CodedError && cause.code === 'command.deadline_exceeded'

async function runOne(run: CommandRun, step: LifecycleCommand): Promise<void> {
  const { checkout } = run
  const leftSeconds = Math.floor(checkout.session.call.deadline.forwardMilliseconds() / 1000) - REPORT_SECONDS
  if (leftSeconds < 1) throw new StepStopped(step.name, 'deadline')
  const limit = Math.min(step.timeout_seconds, leftSeconds)
  const answer = await runOnNode(run, step, limit)
  if (answer.word === 'bash-missing') throw new StepStopped(step.name, 'missing', { exitCode: 127 })
  if (answer.word !== 'ended') throw directoryProblem(checkout, answer.word)
  const { end } = answer
  if (end === 'timeout')
    throw new StepStopped(step.name, limit < step.timeout_seconds ? 'deadline' : 'timeout')
  if (end === 0) return
  throw new StepStopped(step.name, end === 126 || end === 127 ? 'missing' : 'failed', { exitCode: end })
}

/** The script always reports how a step ended, so without output the script itself was killed. */
const UNCONFIRMED: ReadonlySet<string> = new Set(['node.connection_lost', 'node.command_failed'])

async function runOnNode(
  { checkout: { session }, row, seed }: CommandRun,
  step: LifecycleCommand,
  limitSeconds: number,
): Promise<Ended> {
  try {
    const request = { ...placeOf(row), command: step.command, limitSeconds, seed }
    const timeoutSeconds = limitSeconds + GRACE_SECONDS
    return await session.ask(runStep, request, { timeoutSeconds, broken: 'node.command_failed' })
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    if (UNCONFIRMED.has(error.code)) throw new StepStopped(step.name, 'unconfirmed', { cause: error })
    if (error.code !== 'command.deadline_exceeded') throw error
    const own = error.details?.['outcome'] === 'timeout'
    throw new StepStopped(step.name, own ? 'timeout' : 'deadline', { cause: error })
  }
}

/** The answer for a list that stopped (PRJ-070 to PRJ-074): the step's name and outcome, never its command or output. */
export function stepError(
  checkout: CheckoutSession,
  list: LifecycleList,
  stopped: StepStopped,
  further: Details = {},
): CodedError {
  const { step, outcome, exitCode } = stopped
  const exit = exitCode === undefined ? {} : { exit_code: exitCode }
  if (exitCode !== undefined) checkout.session.call.note.exitCode(exitCode)
  return fail(codeFor(list, outcome), {
    ...(outcome === 'missing' && {
      message: `A ${list} step ended with status ${exitCode}: the Node lacks a program that it runs, or may not run it. Install it there, or change the step: \`fleet project:${list}-step:update ${checkout.project.slug} ${step} --command COMMAND\`.`,
    }),
    details: { ...nodeDetail(checkout.session), step, outcome, ...exit, ...further },
    cause: stopped,
  })
}

const codeFor = (list: LifecycleList, outcome: StepEnd): ErrorCode => {
  if (outcome === 'deadline') return 'command.deadline_exceeded'
  return STEP_CODES[list][outcome === 'missing' ? 'missing' : 'failed']
}

const STEP_CODES = {
  setup: { missing: 'instance.setup_step_unavailable', failed: 'instance.setup_step_failed' },
  teardown: { missing: 'instance.teardown_step_unavailable', failed: 'instance.teardown_step_failed' },
} as const satisfies Record<LifecycleList, Record<'missing' | 'failed', ErrorCode>>
