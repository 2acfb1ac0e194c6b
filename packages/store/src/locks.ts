/** Who holds a lock, as the busy answer shows it. */
export interface LockHolder {
  readonly operation: string
  readonly request_id: string
  /** ISO 8601 time the lock was taken. */
  readonly since: string
}

export interface LockRequest {
  /** `instance:7:operation`, `node-name:web-1` and the like. */
  readonly name: string
  readonly operation: string
  readonly requestId: string
  /** 0 answers busy at once. */
  readonly waitMilliseconds: number
  /** The lease: a holder that is gone loses the lock after it. Renewed while held. */
  readonly leaseSeconds: number
  readonly signal?: AbortSignal
  /** What `requireHeld` throws once the lease is lost; LockLost when absent. */
  readonly lost?: () => Error
}

/** A held lock. `await using` gives it back. */
export interface HeldLock extends AsyncDisposable {
  readonly name: string
  /** False once the lease was lost to another holder. */
  readonly held: boolean
  /** Throws the request's `lost` error once the lease was lost. Asks no database, so it may precede every remote command. */
  requireHeld(): void
}

/** The lease ended before the work did. */
export class LockLost extends Error {
  override readonly name = 'LockLost'
  constructor(lock: string) {
    super(`lock ${lock} was lost`)
  }
}

/** The wait ended and another holder still has the lock. */
export class LockBusy extends Error {
  override readonly name = 'LockBusy'
  readonly lock: string
  readonly holder: LockHolder | undefined
  constructor(lock: string, holder: LockHolder | undefined) {
    super(`lock ${lock} is held`)
    this.lock = lock
    this.holder = holder
  }
}

export interface Locks {
  /** Throws LockBusy with the holder when the wait ends. Waiters of one gateway are served first come, first served. */
  acquire(request: LockRequest): Promise<HeldLock>
  /** Current holder, for displays. */
  holderOf(name: string): Promise<LockHolder | undefined>
}
