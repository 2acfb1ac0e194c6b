import type { Database } from '@fleet/store'
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
  /**
   * Records the outcome on the running row, or stores the one finished row of a read; resolves when it is durable (API-018,
   * API-019). `also` is written in the same transaction; when it throws, neither is stored and the Activity is still open.
   */
  succeed(also?: Also): Promise<void>
  fail(errorCode: string, also?: Also): Promise<void>
}

/** Writes of a caller that are stored together with the outcome or not at all. */
export type Also = (db: Database) => Promise<void>

/** The write side of Activities, used by the executor alone. */
export interface Journal {
  open(entry: ActivityEntry): OpenActivity
  /**
   * Closes as failed the rows that an earlier run of this gateway left `running`, and those of any gateway older than
   * 900 s; resolves to their number. A request still in progress in this run keeps its row (ACT-017).
   */
  closeInterrupted(): Promise<number>
  /** The same for the rows of one request whose work this process has taken over. */
  closeInterruptedOf(requestId: string): Promise<number>
}
