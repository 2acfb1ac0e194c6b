import { ChunkedList } from '#/agents/view/chunked-list.ts'

/** The items of one kind that are known of a Node: replaced by complete lists, changed one by one between them. */
export class ObservedList<K, T> {
  readonly #keyOf: (item: T) => K
  readonly #max: number
  readonly #arriving = new ChunkedList<T>()
  #known: Map<K, T> | undefined
  #isCurrent = false
  #isCut = false

  constructor(keyOf: (item: T) => K, max: number) {
    this.#keyOf = keyOf
    this.#max = max
  }

  get known(): ReadonlyMap<K, T> | undefined {
    return this.#known
  }
  /** A complete list has come, and nothing was missed since. */
  get isCurrent(): boolean {
    return this.#isCurrent
  }
  /** Of what is known: more items were reported than are kept (AGT-039). */
  get isCut(): boolean {
    return this.#isCut
  }

  /** A complete list replaces what is known (AG-034, AG-036). */
  take(part: number, parts: number, items: readonly T[]): 'arriving' | 'complete' | 'broken' {
    const all = this.#arriving.take(part, parts, items)
    if (!all) return this.#arriving.isOpen ? 'arriving' : 'broken'
    this.#known = new Map()
    this.#isCut = false
    for (const item of all) this.#set(this.#known, item)
    this.#isCurrent = true
    return 'complete'
  }

  /** Of an item before any list nothing follows for the others, so it alone makes nothing known. */
  change(item: T): void {
    this.#arriving.change(item)
    if (this.#known) this.#set(this.#known, item)
  }

  doubt(): void {
    this.#isCurrent = false
    this.#arriving.drop()
  }

  forget(): void {
    this.#known = undefined
    this.doubt()
  }

  #set(known: Map<K, T>, item: T): void {
    const key = this.#keyOf(item)
    if (known.has(key) || known.size < this.#max) known.set(key, item)
    else this.#isCut = true
  }
}
