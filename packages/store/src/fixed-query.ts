import type { Compilable, CompiledQuery } from 'kysely'
import type { Database } from '#/store.ts'

type Value = string | number | null

/** Stands for a value while the text of a query is made. */
class Slot {
  readonly index: number
  constructor(index: number) {
    this.index = index
  }
}

/**
 * A query whose text never changes: kysely makes it at the first run on a database, and later runs only bind their values,
 * which saves most of the time of a short read. `build` may pass its values on as they are, but not look at them: a value
 * that decides over the text needs an ordinary query.
 */
export function fixedQuery<V extends readonly Value[], R>(
  build: (db: Database, ...values: V) => Compilable<R>,
): (db: Database, ...values: V) => Promise<R[]> {
  // By adapter, which a database shares with its transactions.
  const compiled = new WeakMap<object, CompiledQuery<R>>()
  const compile = (db: Database, values: V): CompiledQuery<R> => {
    const slots = values.map((_, index) => new Slot(index)) as unknown as V // as: kysely hands parameters through as they are.
    const query = build(db, ...slots).compile()
    compiled.set(db.getExecutor().adapter, query)
    return query
  }
  return async (db, ...values) => {
    const query = compiled.get(db.getExecutor().adapter) ?? compile(db, values)
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Slot ? values[parameter.index] : parameter,
    )
    const { rows } = await db.executeQuery<R>({ ...query, parameters })
    return rows
  }
}
