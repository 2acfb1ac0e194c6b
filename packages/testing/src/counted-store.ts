import type { Store } from '@fleet/store'

/** Kinds of records that a path can name, each with columns that are read together with the whole record alone. */
const WHOLE = {
  node: ['agent_secret_hash'],
  instance: ['preparation_id'],
  project: ['repository_identity'],
  cluster: ['tld', 'state'],
  activity: ['request_id'],
  rule: ['backend_status'],
  route: ['provenance'],
  process: ['runtime_config'],
  tool: ['version_constraint', 'failed_operation'],
  database: ['database_name', 'password'],
  schedule: ['starts_enabled'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type RecordKind = keyof typeof WHOLE

/** What was asked of a store from now on; locks, which have their own statements, are not counted. */
export class StoreCounts {
  statements = 0
  readonly #ids: Partial<Record<RecordKind, readonly (number | string)[]>>
  readonly #reads = new Map<string, [before: number, under: number, after: number]>()
  #phase: 0 | 1 | 2 = 0

  /** Counts the reads of these records, by kind. */
  constructor(ids: Partial<Record<RecordKind, readonly (number | string)[]>> = {}) {
    this.#ids = ids
  }

  /** A lock was taken, or a transaction begun. */
  locked(): void {
    this.#phase ||= 1
  }

  asked(rows: readonly object[], isWrite: boolean): void {
    this.statements += 1
    if (isWrite) this.#phase = 2
    else for (const name of this.#namesOf(rows)) this.#countOf(name)[this.#phase] += 1
  }

  /** `4, node 1+1+0`: statements, then reads of each record before a lock, under it, and after the first write. */
  summary(): string {
    const reads = [...this.#reads].map(([name, counts]) => `${name} ${counts.join('+')}`)
    return [`${this.statements}`, ...reads.toSorted()].join(', ')
  }

  /** Records that one phase read more than once. */
  repeated(): readonly string[] {
    return [...this.#reads].filter(([, counts]) => counts.some((count) => count > 1)).map(([name]) => name)
  }

  /** The one record that a result holds; a list of several is no reading of any. */
  #namesOf(rows: readonly object[]): readonly string[] {
    return Object.entries(WHOLE).flatMap(([kind, columns]) => {
      const ids = new Set(
        rows.map((row) => (columns.every((column) => column in row) && 'id' in row ? row.id : undefined)),
      )
      const [id] = ids
      const known = this.#ids[kind as RecordKind] ?? [] // The kinds are the keys.
      const at = ids.size === 1 && (typeof id === 'number' || typeof id === 'string') ? known.indexOf(id) : -1
      return at < 0 ? [] : [at === 0 ? kind : `${kind} ${at + 1}`]
    })
  }

  #countOf(name: string): [number, number, number] {
    const counts = this.#reads.get(name) ?? [0, 0, 0]
    this.#reads.set(name, counts)
    return counts
  }
}

const WRITES: readonly string[] = ['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode']

/** The store with every statement of its users counted, by what `counts` says at that moment. */
export function countedStore(store: Store, counts: () => StoreCounts): Store {
  const writes = new WeakSet<object>()
  const plugin: Parameters<Store['db']['withPlugin']>[0] = {
    transformQuery: ({ node, queryId }) => {
      if (WRITES.includes(node.kind)) writes.add(queryId)
      return node
    },
    transformResult: ({ result, queryId }) => {
      counts().asked(result.rows, writes.has(queryId))
      return Promise.resolve(result)
    },
  }
  return {
    ...store,
    db: store.db.withPlugin(plugin),
    relaxed: store.relaxed.withPlugin(plugin),
    transaction: (work) => {
      counts().locked()
      return store.transaction((db) => work(db.withPlugin(plugin)))
    },
    locks: {
      ...store.locks,
      acquire: (request) => {
        counts().locked()
        return store.locks.acquire(request)
      },
    },
  }
}
