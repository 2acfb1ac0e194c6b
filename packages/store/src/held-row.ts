import type { Clock } from '@fleet/kernel'
import type { Kysely } from 'kysely'
import { Lease } from '#/lease.ts'
import { type LockClaim, release, renew } from '#/lock-rows.ts'
import { type HeldLock, LockLost } from '#/locks.ts'
import type { Tables } from '#/schema.ts'

interface HeldRowOptions {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly row: LockClaim
  readonly leaseSeconds: number
  readonly lost?: (() => Error) | undefined
  readonly closing: AbortSignal
  readonly onRelease: () => void
}

/** A lock row of ours. Renewed until given back or lost. */
export class HeldRow implements HeldLock {
  readonly name: string
  readonly #options: HeldRowOptions
  readonly #lease: Lease

  constructor(options: HeldRowOptions) {
    const { db, row, clock, leaseSeconds, closing } = options
    this.#options = options
    this.name = row.name
    this.#lease = new Lease({
      clock,
      leaseSeconds,
      closing,
      expiresAt: row.expires_at,
      renew: (expiresAt) => renew(db, row.name, row.token, expiresAt),
    })
  }

  get held(): boolean {
    return this.#lease.held
  }

  requireHeld(): void {
    if (!this.held) throw this.#options.lost?.() ?? new LockLost(this.name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#lease.ended) return
    this.#lease.end()
    const { db, row, onRelease } = this.#options
    try {
      await release(db, row.name, row.token)
    } finally {
      onRelease()
    }
  }
}
