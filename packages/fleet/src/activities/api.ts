import type { ActivityNote } from '#/call.ts'

/** What is known of a request before anything is checked. */
export interface ActivityEntry {
  readonly requestId: string
  readonly command: string
  readonly callerAddress: string
  readonly client?: string | undefined
  readonly clientVersion?: string | undefined
  readonly startedAt: Date
  /** `Clock.ticks()` at the start, for `duration_ms`. */
  readonly startedTicks: number
}

/** The Activity of one request. Nothing is stored before `begin` or the outcome. */
export interface OpenActivity {
  readonly note: ActivityNote
  caller(nodeId: number): void
  /** Stores the row as `running`: for changes, before any work (API-017). */
  begin(): Promise<void>
  /** Records the outcome on the running row, or stores the one finished row of a read; resolves when it is durable (API-018, API-019). */
  succeed(): Promise<void>
  fail(errorCode: string): Promise<void>
}

/** The write side of Activities, used by the HTTP layer alone. */
export interface Journal {
  open(entry: ActivityEntry): OpenActivity
  /** Closes rows that a killed gateway left `running`; resolves to their number. */
  closeInterrupted(): Promise<number>
}
