import { isObject, type Json } from '#/print/value.ts'

/** Records of one kind, as a list answers and the feed publishes them. */
export class ListedRecords {
  #records = new Map<number, Json>()
  /** What was published while they are listed, which the list may not have yet. */
  #meanwhile: Map<number, unknown> | undefined
  /** Whether a list has been answered, or failed. */
  isSettled = false

  get byId(): ReadonlyMap<number, Json> {
    return this.#records
  }

  /** In the order of their ids. */
  get all(): readonly Json[] {
    return [...this.#records.values()].toSorted((a, b) => Number(a['id']) - Number(b['id']))
  }

  /**
   * Replaces what is known by the answer, but for what is published until it arrives. A list that fails, with which it rejects, leaves
   * what is known; the answer to one is dropped once another one has begun.
   */
  async list(ask: () => Promise<readonly Json[]>): Promise<void> {
    const meanwhile = (this.#meanwhile = new Map<number, unknown>())
    try {
      const listed = new Map((await ask()).map((record) => [Number(record['id']), record]))
      if (this.#meanwhile !== meanwhile) return
      for (const [id, record] of meanwhile) take(listed, id, record)
      this.#records = listed
    } finally {
      if (this.#meanwhile === meanwhile) {
        this.#meanwhile = undefined
        this.isSettled = true
      }
    }
  }

  /** The feed published the record, or that there is none any more. */
  take(id: number, record: unknown): void {
    this.#meanwhile?.set(id, record)
    take(this.#records, id, record)
  }
}

function take(records: Map<number, Json>, id: number, record: unknown): void {
  if (isObject(record)) records.set(id, record)
  else records.delete(id)
}
