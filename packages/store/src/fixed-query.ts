import type { Compilable, CompiledQuery } from 'kysely'
import { bindable } from '#/json.ts'
import type { Database } from './database.ts'

type Value = string | number | null

/** Placeholder for a value while the text of a query is compiled. */
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
  const textOn = compiledOnce((db: Database, values: V) => {
    const slots = values.map((_, index) => new Slot(index)) as unknown as V // as: kysely hands parameters through as they are.
    return build(db, ...slots)
  })
  return (db, ...values) => execute(db, textOn(db, values), values)
}

type RowGiven<C extends string> = Readonly<Partial<Record<C, Value | object>>>

/** The same for an insert of rows with these columns, absent ones null: one text for each number of rows, which needs a bound. */
export function fixedInsert<C extends string>(
  columns: readonly C[],
  build: (db: Database, rows: readonly Readonly<Record<C, never>>[]) => Compilable,
): (db: Database, rows: readonly RowGiven<C>[]) => Promise<void> {
  const textsOf = new Map<number, (db: Database, count: number) => CompiledQuery>()
  const slotRow = (row: number): Readonly<Record<C, never>> => {
    const slots = columns.map((column, index) => [column, new Slot(row * columns.length + index)])
    return Object.fromEntries(slots) as Readonly<Record<C, never>> // as: see fixedQuery.
  }
  const makeText = () =>
    compiledOnce((db: Database, count: number) =>
      build(
        db,
        Array.from({ length: count }, (_, row) => slotRow(row)),
      ),
    )
  return async (db, rows) => {
    const textOn = textsOf.get(rows.length) ?? makeText()
    textsOf.set(rows.length, textOn)
    const values = rows.flatMap((row) => columns.map((column) => bindable(row[column] ?? null)))
    await execute(db, textOn(db, rows.length), values)
  }
}

/** The query of the first call on a database; later calls get the same. */
function compiledOnce<G, R>(
  build: (db: Database, given: G) => Compilable<R>,
): (db: Database, given: G) => CompiledQuery<R> {
  // By adapter, which a database shares with its transactions.
  const compiled = new WeakMap<object, CompiledQuery<R>>()
  return (db, given) => {
    const { adapter } = db.getExecutor()
    const query = compiled.get(adapter) ?? build(db, given).compile()
    compiled.set(adapter, query)
    return query
  }
}

async function execute<R>(db: Database, query: CompiledQuery<R>, values: readonly unknown[]): Promise<R[]> {
  const parameters = query.parameters.map((parameter) =>
    parameter instanceof Slot ? values[parameter.index] : parameter,
  )
  const { rows } = await db.executeQuery<R>({ ...query, parameters })
  return rows
}
