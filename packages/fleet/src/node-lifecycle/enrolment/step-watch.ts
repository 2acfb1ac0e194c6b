import type { Clock } from '@fleet/kernel'
import type { StepEvent, StepLog, StepProgress } from '@fleet/steps'
import type { Call } from '#/call.ts'

interface Timed {
  readonly name: string
  readonly milliseconds: number
}

const TOLD = { started: 'started', done: 'done', failed: 'failed' } as const satisfies Partial<
  Record<StepEvent, string>
>

/**
 * Tells a watching client each step and keeps its time for the Activity. It remembers nothing of an earlier request:
 * every step may be repeated, so a repeated request runs all of them.
 */
export class StepWatch implements StepLog {
  readonly #call: Call
  readonly #clock: Clock
  readonly #times: Timed[] = []
  readonly #quiet = new Set<string>()
  #startedTicks = 0

  constructor(call: Call, clock: Clock) {
    this.#call = call
    this.#clock = clock
  }

  progress(): Promise<StepProgress> {
    return Promise.resolve({ done: [], begun: [] })
  }

  /** The step did not do its work, and the list goes on. */
  failedQuietly(step: string): void {
    this.#quiet.add(step)
  }

  async record(step: string, event: StepEvent): Promise<void> {
    if (event === 'started') this.#startedTicks = this.#clock.ticks()
    if (event === 'done' || event === 'failed') this.#keep(step)
    const told = Object.hasOwn(TOLD, event) ? TOLD[event as keyof typeof TOLD] : undefined // The check says so.
    if (told === undefined) return
    this.#call.progress({ step, status: told === 'done' && this.#quiet.has(step) ? 'failed' : told })
  }

  #keep(name: string): void {
    const milliseconds = Math.max(0, Math.round(this.#clock.ticks() - this.#startedTicks))
    this.#times.push({ name, milliseconds })
    this.#call.note.property('steps', this.#times)
  }
}
