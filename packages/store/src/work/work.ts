import type { Database } from '../database.ts'

/** What is to be done without a request. */
export interface NewWork {
  /** Names the code that does it, and the command of its Activities. */
  readonly kind: string
  /**
   * With a key, adding work of the same kind twice is one piece of work with the later payload and the earlier time. Added
   * while it runs, it runs once more afterwards; added when it is dead, it starts over. Without a key each is another.
   */
  readonly key?: string | undefined
  /** JSON of names, ids and counts; never a secret. */
  readonly payload: unknown
  /** The Node that asked for it; the system's own when absent. */
  readonly callerNodeId?: number | undefined
  readonly dueAt: Date
  /** With a key: the time of this one counts, also when it is the later one. */
  readonly postpones?: boolean
}

export interface ClaimRequest {
  /** What this process can do. */
  readonly kinds: readonly string[]
  /** A holder that is gone loses the work after it. Renewed while the work runs. */
  readonly leaseSeconds: number
}

/** Work that could not be done and is not tried again by itself. */
export interface DeadWork {
  readonly id: number
  readonly kind: string
  readonly key: string | null
  readonly attempts: number
  readonly errorCode: string | null
  readonly requestId: string
}

/** Which work needs a person: dead, failed so often and tried again, or due since then and taken by nobody. */
export interface TroubleLimits {
  readonly failedAttempts: number
  readonly overdueSince: Date
}

export interface TroubledWork extends DeadWork {
  /** `failing` is tried again. */
  readonly trouble: 'dead' | 'failing' | 'overdue'
  readonly dueAt: Date
}

/**
 * A piece of work in the hands of this process. Exactly one of the endings is written, in the transaction of the work's
 * outcome; each but `returned` throws WorkLost, and so undoes that transaction, when another process has taken the work over.
 */
export interface ClaimedWork extends Disposable {
  readonly id: number
  readonly kind: string
  readonly payload: unknown
  readonly callerNodeId: number | undefined
  /** Of all attempts at this piece of work. */
  readonly requestId: string
  /** Counted when the work was claimed: a crash uses up an attempt too. */
  readonly attempts: number
  readonly held: boolean
  /** Aborts when another process has taken the work over. */
  readonly lost: AbortSignal
  /** The work is done: its row goes, unless it was added again meanwhile. */
  done(db: Database): Promise<void>
  /** Done, and due again. */
  repeat(db: Database, dueAt: Date): Promise<void>
  retry(db: Database, dueAt: Date, errorCode: string): Promise<void>
  bury(db: Database, errorCode: string): Promise<void>
  /** Gives it back unfinished, for another process to take at once. The attempt does not count. */
  returned(db: Database): Promise<void>
}

/** Another process has taken the work over. */
export class WorkLost extends Error {
  override readonly name = 'WorkLost'
}

/** Rows of work that any gateway of the fleet may take. */
export interface Work {
  /** Within a transaction, the work is added with it or not at all. Wakes the processes that listen. */
  add(work: NewWork, db?: Database): Promise<void>
  /** The piece that has waited longest, or whose holder is gone. Undefined when nothing is due. */
  claim(request: ClaimRequest): Promise<ClaimedWork | undefined>
  /** When the piece of this key is due, or was; added while it runs, when it is due again. Undefined when there is none. */
  dueAt(kind: string, key: string): Promise<Date | undefined>
  /**
   * Whether the piece of this key was added again since it is run, or taken over before it was due: its end is not that of the row.
   * Of one that does not run, whether it is due later than `now`.
   */
  isPostponed(kind: string, key: string, now: Date): Promise<boolean>
  /** When the next piece is due or the lease of a running one ends. */
  nextDueAt(kinds: readonly string[]): Promise<Date | undefined>
  listDead(): Promise<readonly DeadWork[]>
  /** By id, at most 100. */
  listTroubled(limits: TroubleLimits): Promise<readonly TroubledWork[]>
  /** What is dead starts over at once, and what waits after a failure is due at once. Answers how many. */
  retryFailed(): Promise<number>
  /** The clock of this process was set back from that time: what was due by then, or waits after a failure, is due now. */
  hasten(reached: Date): Promise<void>
  /** Calls back whenever work may have been added, on any gateway; now and then for nothing. */
  onAdded(listener: () => void): Disposable
}
