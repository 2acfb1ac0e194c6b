import { type ErrorCode, fail } from '@fleet/contract'
import { CodedError, type Details } from '@fleet/kernel'
import { runStep, type StepEnd } from '#/instances/commands/run-step.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { nodeDetail, type CheckoutSession } from '#/instances/checkout-session.ts'
import type { StepList, StepRecord } from '#/projects/api.ts'
import { directoryProblem } from './directory-problem.ts'
import { placeOf } from './place.ts'

/**
 * How a step that did not succeed ended: `failed` with an exit status, `timeout` by its own limit, `missing` program (126,
 * 127), `deadline` of the request, `unconfirmed` when the connection ended first.
 */
export type StepFailure = 'failed' | 'timeout' | 'missing' | 'deadline' | 'unconfirmed'

/** A step that did not succeed. Holds no command text and no output (PRJ-075). */
export class StepStopped extends Error {
  override readonly name = 'StepStopped'
  readonly step: string
  readonly outcome: StepFailure
  readonly exitCode: number | undefined
  constructor(
    step: string,
    outcome: StepFailure,
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

/** Runs the steps in order and stops at the first that does not succeed: throws StepStopped, or what the Node's shell throws. */
export async function runList(checkout: CheckoutSession, row: InstanceRow, steps: readonly StepRecord[]): Promise<void> {
  for (const step of steps) await runOne(checkout, row, step)
}

/** Runs every step whatever becomes of the others, and answers the failures (PRJ-069). */
export async function runWholeList(
  checkout: CheckoutSession,
  row: InstanceRow,
  steps: readonly StepRecord[],
): Promise<readonly unknown[]> {
  const failures: unknown[] = []
  for (const step of steps) await runOne(checkout, row, step).catch((error: unknown) => failures.push(error))
  return failures
}

async function runOne(checkout: CheckoutSession, row: InstanceRow, step: StepRecord): Promise<void> {
  const leftSeconds = Math.floor(checkout.session.call.deadline.forwardMilliseconds() / 1000) - REPORT_SECONDS
  if (leftSeconds < 1) throw new StepStopped(step.name, 'deadline')
  const limit = Math.min(step.timeout_seconds, leftSeconds)
  const answer = await runOnNode(checkout, row, step, limit)
  if (answer.word === 'bash-missing') throw new StepStopped(step.name, 'missing', { exitCode: 127 })
  if (answer.word !== 'ended') throw directoryProblem(checkout, answer.word)
  const { end } = answer
  if (end === 'timeout')
    throw new StepStopped(step.name, limit < step.timeout_seconds ? 'deadline' : 'timeout')
  if (end === 0) return
  throw new StepStopped(step.name, end === 126 || end === 127 ? 'missing' : 'failed', { exitCode: end })
}

/** The script always says how a step ended, so without a word something ended the script itself. */
const UNCONFIRMED: ReadonlySet<string> = new Set(['node.connection_lost', 'node.command_failed'])

async function runOnNode(
  { session }: CheckoutSession,
  row: InstanceRow,
  step: StepRecord,
  limitSeconds: number,
): Promise<StepEnd> {
  try {
    const request = { ...placeOf(row), command: step.command, limitSeconds }
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
  list: StepList,
  stopped: StepStopped,
  further: Details = {},
): CodedError {
  const { step, outcome, exitCode } = stopped
  const exit = exitCode === undefined ? {} : { exit_code: exitCode }
  if (exitCode !== undefined) checkout.session.call.note.exitCode(exitCode)
  return fail(codeFor(list, outcome), {
    details: { ...nodeDetail(checkout), step, outcome, ...exit, ...further },
    cause: stopped,
  })
}

const codeFor = (list: StepList, outcome: StepFailure): ErrorCode => {
  if (outcome === 'deadline') return 'command.deadline_exceeded'
  return STEP_CODES[list][outcome === 'missing' ? 'missing' : 'failed']
}

const STEP_CODES = {
  setup: { missing: 'instance.setup_step_unavailable', failed: 'instance.setup_step_failed' },
  teardown: { missing: 'instance.teardown_step_unavailable', failed: 'instance.teardown_step_failed' },
} as const satisfies Record<StepList, Record<'missing' | 'failed', ErrorCode>>
