import type { StepEvent, StepLog, StepProgress } from './step.ts'

/** A log in memory for tests. */
export class MemoryLog implements StepLog {
  /** `name event`, in order. */
  readonly events: string[] = []
  readonly #last = new Map<string, StepEvent>()

  progress(): Promise<StepProgress> {
    const names = (isWanted: (event: StepEvent) => boolean): string[] =>
      [...this.#last].filter(([, event]) => isWanted(event)).map(([name]) => name)
    return Promise.resolve({
      done: names((event) => event === 'done'),
      begun: names((event) => event !== 'done' && event !== 'undone'),
    })
  }

  record(step: string, event: StepEvent): Promise<void> {
    this.events.push(`${step} ${event}`)
    this.#last.set(step, event)
    return Promise.resolve()
  }
}

/** Stands for the end of the process: the runner must do nothing after it. */
export class Crash extends Error {
  override readonly name = 'Crash'
}

/** A log whose n-th record (from 1) is the last thing the process does: either just before it is stored or just after. */
export class CrashingLog implements StepLog {
  readonly #log: MemoryLog
  readonly #at: number
  readonly #stored: boolean
  #count = 0

  constructor(log: MemoryLog, at: number, stored: boolean) {
    this.#log = log
    this.#at = at
    this.#stored = stored
  }

  /** True once the process is dead. */
  get crashed(): boolean {
    return this.#count >= this.#at
  }

  progress(): Promise<StepProgress> {
    return this.#log.progress()
  }

  async record(step: string, event: StepEvent): Promise<void> {
    if (this.crashed) throw new Error('the runner went on after the crash')
    this.#count += 1
    if (!this.crashed || this.#stored) await this.#log.record(step, event)
    if (this.crashed) throw new Crash()
  }
}
