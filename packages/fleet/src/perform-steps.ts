import { fail, isErrorCode } from '@fleet/contract'
import { type Clock, CodedError } from '@fleet/kernel'
import {
  type FailureKind,
  type MissedStep,
  noLog,
  runSteps,
  type RunStepsOptions,
  StepFailure,
  type StepList,
  type StepLog,
  type StepStatus,
} from '@fleet/steps'
import { type Call, withDeadline } from '#/call.ts'
import { codeOf, withDetails } from '#/error-details.ts'

export interface StepWork<C> {
  readonly call: Call
  /** Where the record keeps the work; without one every step runs each time. */
  readonly log?: StepLog
  /** What a client sees of a step; its name when absent, nothing for undefined. */
  readonly nameFor?: (step: string) => string | undefined
  /** Keeps the times of the steps in the Activity. */
  readonly clock?: Clock
  /** What an error means here; undefined for what it means in any request. */
  readonly kindOf?: (cause: unknown) => FailureKind | undefined
  /** The context with another call, for undoing: it may use the time that forward work leaves to it. */
  readonly withCall?: (context: C, call: Call) => C
  /** The error of the request for a list that stopped; the step's own when absent. */
  readonly errorOf?: (failure: StepFailure) => unknown
}

/**
 * Runs a list inside a request: its client and its Activity see each step, and a step begins only while the locks of
 * the call are held and forward time is left. Answers the optional steps that failed, which Doctor names later. Throws `node.lock_lost`,
 * `command.deadline_exceeded` and the errors of the steps.
 */
export async function performSteps<C>(
  list: StepList<C>,
  context: C,
  work: StepWork<C>,
): Promise<readonly MissedStep[]> {
  try {
    const missed = await runSteps(list, context, work.log ?? noLog, optionsFor(work))
    for (const { step, cause } of missed)
      work.call.log('an optional step failed', { list: list.name, step, code: codeOf(cause) })
    return missed
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error
    throw namingStep(work.errorOf ? await work.errorOf(error) : error.cause, stepOf(work, error))
  }
}

/** As its client knows it. */
const stepOf = <C>({ nameFor = (step) => step }: StepWork<C>, { step }: StepFailure): string | undefined =>
  nameFor(step)

/** Work that failed on a Node or a remote service says in which step (GW-029), which its own error may know better. */
function namingStep(error: unknown, step: string | undefined): unknown {
  if (!(error instanceof CodedError) || !isErrorCode(error.code) || error.status !== FAILED_REMOTELY)
    return error
  if (step === undefined || error.details?.['step'] !== undefined) return error
  return withDetails(error, { step }, error.code)
}

const FAILED_REMOTELY = 502

/** Does one part of a running step, such as one of many records, and reports it as `step: part`. */
export async function performPart<T>(
  call: Pick<Call, 'progress'>,
  { step, part }: { readonly step: string; readonly part: string },
  work: () => Promise<T>,
): Promise<T> {
  const name = `${step}: ${part}`
  call.progress({ step: name, status: 'started' })
  try {
    const done = await work()
    call.progress({ step: name, status: 'done' })
    return done
  } catch (error) {
    call.progress({ step: name, status: 'failed' })
    throw error
  }
}

/** How a request runs a list, for its property tests as well. */
export function optionsFor<C>(work: StepWork<C>): RunStepsOptions<C> {
  const { call, withCall, nameFor = (step) => step } = work
  const times = work.clock && new StepTimes(call, work.clock)
  return {
    guard: () => requireTime(work),
    progress: (step, status) => {
      times?.note(step, status)
      const name = nameFor(step)
      if (name !== undefined) call.progress({ step: name, status })
    },
    kindOf: (cause) => work.kindOf?.(cause) ?? ENDS[codeOf(cause)] ?? 'ordinary',
    forUndo: (context) => {
      // Another request has the record by now, and what is left of this work belongs to it.
      call.locks.requireHeld()
      return withCall ? withCall(context, withDeadline(call, call.deadline.reserving(0))) : context
    },
  }
}

/** Nothing may follow: somebody else has the record, or the request itself ends. */
const ENDS: Readonly<Record<string, FailureKind>> = {
  'node.lock_lost': 'lost',
  'command.deadline_exceeded': 'final',
  'http.draining': 'final',
}

/**
 * Whether an error ends the request, whatever it was doing: it is the answer, and never the cause of another failure or a reason to
 * skip a part (GW-031, GW-045). The limit of one command is not the time of the request.
 */
export const endsRequest = (error: unknown): boolean =>
  error instanceof CodedError && ENDS[error.code] !== undefined && error.details?.['outcome'] !== 'timeout'

function requireTime({ call }: Pick<StepWork<never>, 'call'>): void {
  call.locks.requireHeld()
  if (call.deadline.forwardMilliseconds() <= 0)
    throw fail('command.deadline_exceeded', { details: { outcome: 'deadline' } })
}

class StepTimes {
  readonly #call: Call
  readonly #clock: Clock
  readonly #times: { readonly name: string; readonly milliseconds: number }[] = []
  #startedTicks = 0

  constructor(call: Call, clock: Clock) {
    this.#call = call
    this.#clock = clock
  }

  note(name: string, status: StepStatus): void {
    if (status === 'started') {
      this.#startedTicks = this.#clock.ticks()
      return
    }
    const milliseconds = Math.max(0, Math.round(this.#clock.ticks() - this.#startedTicks))
    this.#times.push({ name, milliseconds })
    this.#call.note.property('steps', this.#times)
  }
}
