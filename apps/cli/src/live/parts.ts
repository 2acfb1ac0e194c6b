import type { Json } from '#/print/value.ts'

/** A list that comes in numbered parts; it counts only once all of them have arrived, one after the other (AG-028, AG-030). */
export class Parts {
  #collected: readonly unknown[] = []
  #next = 1
  #of = 0

  /** The whole list with its last part; undefined before. */
  add({ part, parts }: Json, items: unknown): readonly unknown[] | undefined {
    if (typeof part !== 'number' || typeof parts !== 'number' || !Array.isArray(items)) return undefined
    if (part === 1) {
      this.#collected = []
      this.#next = 1
      this.#of = parts
    }
    if (part !== this.#next || parts !== this.#of) {
      this.#next = 0
      return undefined
    }
    const more: readonly unknown[] = items
    this.#collected = [...this.#collected, ...more]
    this.#next += 1
    return part === parts ? this.#collected : undefined
  }
}
