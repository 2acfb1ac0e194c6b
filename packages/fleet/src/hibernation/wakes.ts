import type { Clock } from '@fleet/kernel'

export interface WakeFailure {
  readonly code: string
  readonly message: string
}

/** How long the failure of a wake waits for a visitor to see it (HIB-014). */
const FAILURE_MILLISECONDS = 120_000

/**
 * What this gateway knows of wakes: which it has begun, and which failed. It forgets both with its end: the Node itself says
 * what is awake, and a visitor begins the wake again.
 */
export class Wakes {
  readonly #clock: Pick<Clock, 'ticks'>
  readonly #longestMilliseconds: number
  readonly #begun = new Map<number, number>()
  readonly #asked = new Map<number, Promise<boolean>>()
  readonly #failures = new Map<number, WakeFailure & { readonly at: number }>()

  constructor(clock: Pick<Clock, 'ticks'>, longestSeconds: number) {
    this.#clock = clock
    this.#longestMilliseconds = longestSeconds * 1000
  }

  /** Asks once for all visitors that come meanwhile. */
  together(instanceId: number, ask: () => Promise<boolean>): Promise<boolean> {
    const asked = this.#asked.get(instanceId)
    // Whoever has asked may be gone by now.
    if (asked) return asked.catch(() => ask())
    const asking = ask().finally(() => this.#asked.delete(instanceId))
    this.#asked.set(instanceId, asking)
    return asking
  }

  /** False when it has begun already. */
  begin(instanceId: number): boolean {
    if (this.isRunning(instanceId)) return false
    this.#begun.set(instanceId, this.#clock.ticks())
    return true
  }

  /** One that took longer than any may is taken for dead: its work may be in the hands of another gateway. */
  isRunning(instanceId: number): boolean {
    const at = this.#begun.get(instanceId)
    return at !== undefined && this.#clock.ticks() - at < this.#longestMilliseconds
  }

  end(instanceId: number, failure?: WakeFailure): void {
    this.#begun.delete(instanceId)
    this.#failures.delete(instanceId)
    if (failure) this.#failures.set(instanceId, { ...failure, at: this.#clock.ticks() })
  }

  /** The failure of the last wake, once. */
  takeFailure(instanceId: number): WakeFailure | undefined {
    const found = this.#failures.get(instanceId)
    this.#failures.delete(instanceId)
    if (!found || this.#clock.ticks() - found.at >= FAILURE_MILLISECONDS) return undefined
    return { code: found.code, message: found.message }
  }
}
