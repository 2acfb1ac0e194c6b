import type { Clock } from '@fleet/kernel'

// Two renewals may fail before the lease runs out.
const RENEWALS_PER_LEASE = 3

export interface LeaseOptions {
  readonly clock: Clock
  readonly leaseSeconds: number
  /** End of the first term, as it was stored. */
  readonly expiresAt: string
  /** Aborts when the store closes: nobody can renew then. */
  readonly closing: AbortSignal
  /** Stores a new end of the term. False when the row is no longer ours. */
  readonly renew: (expiresAt: string) => Promise<boolean>
}

/** The term of a row of ours: renewed until it is ended or lost. */
export class Lease {
  readonly #options: LeaseOptions
  readonly #ended = new AbortController()
  readonly #lost = new AbortController()
  #expires: number

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#expires = Date.parse(options.expiresAt)
    void this.#keep()
  }

  get held(): boolean {
    return !this.ended && !this.#lost.signal.aborted && this.#options.clock.now().getTime() < this.#expires
  }

  get ended(): boolean {
    return this.#ended.signal.aborted
  }

  /** Aborts when a renewal finds that the row has another holder. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** Stops the renewals. */
  end(): void {
    this.#ended.abort()
  }

  async #keep(): Promise<void> {
    const { clock, closing, leaseSeconds } = this.#options
    const over = AbortSignal.any([this.#ended.signal, this.#lost.signal, closing])
    while (!over.aborted) {
      await clock.sleep((leaseSeconds * 1000) / RENEWALS_PER_LEASE, over)
      if (!over.aborted) await this.#renew()
    }
  }

  async #renew(): Promise<void> {
    const { clock, leaseSeconds, renew } = this.#options
    const expires = clock.now().getTime() + leaseSeconds * 1000
    try {
      if (await renew(new Date(expires).toISOString())) this.#expires = expires
      else this.#lost.abort()
    } catch {
      // The database did not answer: the lease is still ours until its end, and the next round tries again.
    }
  }
}
