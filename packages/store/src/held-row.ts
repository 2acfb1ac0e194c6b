import type { Clock } from '@fleet/kernel'
import type { Kysely } from 'kysely'
import { type LockClaim, release, renew } from '#/lock-rows.ts'
import { type HeldLock, LockLost } from '#/locks.ts'
import type { Tables } from '#/schema.ts'

// Two renewals may fail before the lease runs out.
const RENEWALS_PER_LEASE = 3

interface HeldRowOptions {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly row: LockClaim
  readonly leaseSeconds: number
  readonly lost?: (() => Error) | undefined
  /** Aborts when the store closes: nobody can renew then. */
  readonly closing: AbortSignal
  readonly onRelease: () => void
}

/** A lock row of ours. Renewed until given back or lost. */
export class HeldRow implements HeldLock {
  readonly name: string
  readonly #options: HeldRowOptions
  readonly #ended = new AbortController()
  #expires: number
  #lost = false

  constructor(options: HeldRowOptions) {
    this.#options = options
    this.name = options.row.name
    this.#expires = Date.parse(options.row.expires_at)
    void this.#keep()
  }

  get held(): boolean {
    return !this.#ended.signal.aborted && !this.#lost && this.#options.clock.now().getTime() < this.#expires
  }

  requireHeld(): void {
    if (!this.held) throw this.#options.lost?.() ?? new LockLost(this.name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended.signal.aborted) return
    this.#ended.abort()
    const { db, row, onRelease } = this.#options
    try {
      await release(db, row.name, row.token)
    } finally {
      onRelease()
    }
  }

  async #keep(): Promise<void> {
    const { clock, leaseSeconds } = this.#options
    const over = AbortSignal.any([this.#ended.signal, this.#options.closing])
    while (!over.aborted && !this.#lost) {
      await clock.sleep((leaseSeconds * 1000) / RENEWALS_PER_LEASE, over)
      if (!over.aborted) await this.#renew()
    }
  }

  async #renew(): Promise<void> {
    const { clock, db, leaseSeconds, row } = this.#options
    const expires = clock.now().getTime() + leaseSeconds * 1000
    try {
      const renewed = await renew(db, row.name, row.token, new Date(expires).toISOString())
      if (renewed) this.#expires = expires
      else this.#lost = true
    } catch {
      // The database did not answer: the lease still stands until its end, and the next round tries again.
    }
  }
}
