import { progressOf } from './logs.ts'
import type { StepEvent, StepLog, StepProgress } from './step.ts'

/** A log in memory for tests. */
export class MemoryLog implements StepLog {
  /** `name event`, in order. */
  readonly events: string[] = []
  readonly #last = new Map<string, StepEvent>()

  progress(): Promise<StepProgress> {
    return Promise.resolve(progressOf(Object.fromEntries(this.#last)))
  }

  record(step: string, event: StepEvent): Promise<void> {
    this.events.push(`${step} ${event}`)
    this.#last.set(step, event)
    return Promise.resolve()
  }
}

/** Simulates the end of the process: the runner must do nothing after it. */
export class Crash extends Error {
  override readonly name = 'Crash'
}

/** A log whose n-th record (from 1) is the last thing the process does: either just before it is stored or just after. */
export class CrashingLog implements StepLog {
  /** `name event`, in order. */
  readonly events: string[] = []
  readonly #log: StepLog
  readonly #at: number
  readonly #stored: boolean

  constructor(log: StepLog, at = Infinity, stored = false) {
    this.#log = log
    this.#at = at
    this.#stored = stored
  }

  /** True once the process is dead. */
  get crashed(): boolean {
    return this.events.length >= this.#at
  }

  progress(): Promise<StepProgress> {
    return this.#log.progress()
  }

  async record(step: string, event: StepEvent, cause?: unknown): Promise<void> {
    if (this.crashed) throw new Error('the runner continued after the crash')
    this.events.push(`${step} ${event}`)
    if (!this.crashed || this.#stored) await this.#log.record(step, event, cause)
    if (this.crashed) throw new Crash()
  }
}
