/** What the parts of one list have brought so far. */
interface Open<T> {
  readonly parts: number
  next: number
  readonly items: T[]
  /** Reported between the parts, so newer than any of them. */
  readonly changes: T[]
}

/** A list that arrives in parts, in order, and counts when the last one is there (AG-028, AG-030). */
export class ChunkedList<T> {
  #open: Open<T> | undefined

  /**
   * All items once the last part has arrived, with the changes in between applied last; undefined before. A part that
   * does not follow the previous one ends the list.
   */
  take(part: number, parts: number, items: readonly T[]): readonly T[] | undefined {
    if (part === 1) this.#open = { parts, next: 1, items: [], changes: [] }
    const open = this.#open
    if (!open || open.parts !== parts || open.next !== part) {
      this.#open = undefined
      return undefined
    }
    open.items.push(...items)
    open.next += 1
    if (part < parts) return undefined
    this.#open = undefined
    return [...open.items, ...open.changes]
  }

  /** Of one item, reported while the list is being sent. */
  change(item: T): void {
    this.#open?.changes.push(item)
  }

  drop(): void {
    this.#open = undefined
  }

  get isOpen(): boolean {
    return this.#open !== undefined
  }
}
