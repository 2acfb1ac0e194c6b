import type { Database } from '../database.ts'

/** Wakes whoever waits for work when some was added. */
export interface Bell {
  /** Within a transaction, nobody finds the work before the commit. */
  ring(db: Database): Promise<void>
  listen(listener: () => void): Disposable
  close(): Promise<void>
}

/** Listeners of this process. */
export class Listeners {
  readonly #listeners = new Set<() => void>()

  get size(): number {
    return this.#listeners.size
  }

  add(listener: () => void): Disposable {
    // An own object, so that one function that listens twice is heard twice.
    const entry = (): void => listener()
    this.#listeners.add(entry)
    return { [Symbol.dispose]: () => void this.#listeners.delete(entry) }
  }

  call(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** SQLite belongs to one gateway, so its bell rings within the process; a claim waits for the open transaction by itself. */
export function makeLocalBell(): Bell {
  const listeners = new Listeners()
  return {
    ring: async () => listeners.call(),
    listen: (listener) => listeners.add(listener),
    close: async () => undefined,
  }
}
