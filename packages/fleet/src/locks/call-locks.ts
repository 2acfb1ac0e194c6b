import type { Details } from '@fleet/kernel'
import type { HeldLock } from '@fleet/store'
import { type NamedLock, LOCKS, lostError } from '#/locks/table.ts'

/** A lock was taken against the order of the table: two requests could wait for each other. */
export class LockOrderViolation extends Error {
  override readonly name = 'LockOrderViolation'
}

const ORDER: readonly string[] = Object.keys(LOCKS)

/** The locks that one call holds. */
export class CallLocks {
  readonly #held = new Map<HeldLock, NamedLock>()
  readonly #onViolation: (violation: LockOrderViolation) => void

  /** Tests throw a violation; a gateway logs it, because every wait ends by itself. */
  constructor(onViolation: (violation: LockOrderViolation) => void) {
    this.#onViolation = onViolation
  }

  /** Reports a lock that must not be taken while the call holds what it holds. */
  requireOrder(wanted: NamedLock): void {
    const against = [...this.#held.values()].find((held) => !mayFollow(held, wanted))
    if (against)
      this.#onViolation(new LockOrderViolation(`${wanted.name} must be taken before ${against.name}`))
  }

  /** Holds it until the result is disposed of. */
  add(hold: NamedLock, lock: HeldLock): Disposable {
    this.#held.set(lock, hold)
    return { [Symbol.dispose]: () => void this.#held.delete(lock) }
  }

  /** Throws the error of the first lock of this call that was lost, with these details (GW-045). Asks no database. */
  requireHeld(details: Details = {}): void {
    for (const [lock, hold] of this.#held) if (!lock.held) throw lostError(hold, details)
  }
}

function mayFollow(held: NamedLock, wanted: NamedLock): boolean {
  const distance = ORDER.indexOf(wanted.kind) - ORDER.indexOf(held.kind)
  // Whoever does not wait keeps nobody waiting for it.
  return distance > 0 || wanted.waitSeconds === 0 || (distance === 0 && isLower(held.id, wanted.id))
}

const isLower = (one: number | string, other: number | string): boolean =>
  typeof one === 'number' && typeof other === 'number' ? one < other : `${one}` < `${other}`
