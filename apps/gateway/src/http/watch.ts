import { watchMediaType, type WatchedStep } from '@fleet/contract'
import type { StepProgress } from '@fleet/fleet'
import { type Clock, LIMITS, within } from '@fleet/kernel'
import type { Answer } from './answer.ts'
import { LineQueue } from './lines.ts'

/** Steps queued for a client that reads slowly; more are dropped, so that they cannot exhaust the memory. */
const MAX_WAITING_STEPS = 1000

export interface WatchDeps {
  readonly clock: Clock
  /** Carries the work out and never rejects. */
  readonly work: (progress: (step: StepProgress) => void) => Promise<Answer>
  /** The last line when the work outlives the request (GW-033). */
  readonly late: () => Answer
}

/** Whether the client asked to watch: it names the media type of lines in `Accept`, and does not exclude it (RFC 9110, 12.4.2). */
export const wantsLines = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === watchMediaType && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter))
  })

/**
 * Work whose steps are lines as they happen; the last line is the result or the error, with the status that the plain
 * answer would have had. A failure before the first step is the plain answer itself. Nothing here slows the work down.
 */
export async function watched({ clock, work, late }: WatchDeps): Promise<Answer> {
  const lines = new LineQueue()
  const times = new StepTimes(clock)
  const begun = Promise.withResolvers<'begun'>()
  const working = work((progress) => {
    if (lines.length < MAX_WAITING_STEPS) void lines.push(times.line(progress))
    begun.resolve('begun')
  })
  const ending = within(clock, LIMITS.requestSeconds * 1000, working).then((ended) =>
    ended.inTime ? ended.value : late(),
  )
  const first = await Promise.race([begun.promise, ending])
  if (first !== 'begun' && first.error) return { ...first, done: working }
  void ending.then((answer) => {
    void lines.push(lastLine(answer))
    lines.end()
  })
  return { status: 200, body: undefined, lines, done: working }
}

const lastLine = ({ status, body, error }: Answer): object => ({
  type: error ? 'error' : 'result',
  status,
  ...(body as object), // An envelope: only operations that answer one can be watched.
})

class StepTimes {
  readonly #clock: Clock
  readonly #started = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  line({ step, status }: StepProgress): WatchedStep {
    const at = this.#clock.now().toISOString()
    const started = this.#started.get(step)
    if (status === 'started') this.#started.set(step, this.#clock.ticks())
    else this.#started.delete(step)
    return status === 'started' || started === undefined
      ? { type: 'step', step, status, at }
      : { type: 'step', step, status, at, milliseconds: Math.round(this.#clock.ticks() - started) }
  }
}
