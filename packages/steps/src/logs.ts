import type { StepEvent, StepLog, StepProgress } from './step.ts'

/** How a record keeps a piece of work in columns of its own. `V` is what a write takes. */
export interface Columns<V> {
  /** Steps that the record shows as finished; none for a list whose steps all run each time. */
  readonly done?: () => readonly string[]
  /** Steps that may have begun without the record showing it, such as the one after the last that is done. */
  readonly begun?: () => readonly string[]
  /** What an event changes; an event without a row here changes nothing. */
  readonly on: Readonly<Partial<Record<StepEvent, (step: string, cause: unknown) => V | undefined>>>
  write(values: V): Promise<unknown>
}

/** A log in the columns that a record has anyway: its status, its failed step, its error code. */
export const columnsLog = <V>({ done, begun, on, write }: Columns<V>): StepLog => ({
  progress: async () => ({ done: done?.() ?? [], begun: begun?.() ?? [] }),
  record: async (step, event, cause) => {
    const values = on[event]?.(step, cause)
    if (values !== undefined) await write(values)
  },
})

/** The last event of each step, as it is stored in one JSON column. */
export type StepEvents = Readonly<Record<string, StepEvent>>

/** A log in one column of the record; `write` stores all of it. For lists that are undone, and for work without columns of its own. */
export function eventsLog(stored: StepEvents, write: (events: StepEvents) => Promise<unknown>): StepLog {
  let events = stored
  return {
    progress: async () => progressOf(events),
    record: async (step, event) => {
      const next = { ...events, [step]: event }
      await write(next)
      events = next
    },
  }
}

/** A log for work whose record needs no more than its outcome: every step runs each time. */
export const noLog: StepLog = {
  progress: async () => ({ done: [], begun: [] }),
  record: async () => undefined,
}

export function progressOf(events: StepEvents): StepProgress {
  const names = (isWanted: (event: StepEvent) => boolean): string[] =>
    Object.entries(events).flatMap(([name, event]) => (isWanted(event) ? [name] : []))
  return {
    done: names((event) => FINISHED.includes(event)),
    begun: names((event) => event !== 'undone' && !FINISHED.includes(event)),
  }
}

const FINISHED: readonly StepEvent[] = ['done', 'missed']
