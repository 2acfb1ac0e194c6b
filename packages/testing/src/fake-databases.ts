import {
  type DatabaseAccess,
  DatabaseFailure,
  type QueryResult,
  type Request,
  type Statement,
  type TableColumns,
  type Target,
} from '@fleet/database-access'

/** Databases of a table in memory: what was asked is kept, what they answer is given. */
export interface FakeDatabases extends DatabaseAccess {
  readonly asked: ReadonlyArray<{ readonly target: Target; readonly statement?: Statement }>
  /** Answers the next statements with this exact text. A function decides each time, and may throw. */
  answer(sql: string, result: QueryResult | (() => QueryResult)): void
  /** What `tables`, `schema` and `describe` see. */
  setTables(tables: readonly TableColumns[]): void
  /** Owners whose connections were closed. */
  readonly dropped: readonly string[]
  /** Every following call throws it; undefined ends that. */
  failWith(failure: DatabaseFailure | undefined): void
}

/** A statement without an answer fails with `database.query_failed`, as an unknown table would. */
export function fakeDatabases(): FakeDatabases {
  const asked: { target: Target; statement?: Statement }[] = []
  const dropped: string[] = []
  const answers = new Map<string, () => QueryResult>()
  let known: readonly TableColumns[] = []
  let failure: DatabaseFailure | undefined
  const note = (target: Target, statement?: Statement, request?: Request): void => {
    asked.push(statement ? { target, statement } : { target })
    if (failure) throw failure
    if (request?.signal?.aborted)
      throw new DatabaseFailure('database.query_failed', 'The query was cancelled.', { reason: 'cancelled' })
  }
  return {
    asked,
    answer: (sql, result) =>
      void answers.set(sql, typeof result === 'function' ? result : (): QueryResult => result),
    setTables: (tables) => void (known = tables),
    failWith: (next) => void (failure = next),
    query: async (target, statement, request) => {
      note(target, statement, request)
      return (answers.get(statement.sql) ?? unanswered)()
    },
    tables: async (target, request) => {
      note(target, undefined, request)
      return known.map(({ name }) => name)
    },
    schema: async (target, request) => {
      note(target, undefined, request)
      return known
    },
    describe: async (target, table, request) => {
      note(target, undefined, request)
      return known.find(({ name }) => name === table) ?? missing()
    },
    check: async (target, request) => note(target, undefined, request),
    dropped,
    drop: (owner) => void dropped.push(owner),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

const unanswered = (): never => {
  throw new DatabaseFailure('database.query_failed', 'The statement failed.', {
    reason: 'statement',
    condition: '42P01',
  })
}

const missing = (): never => {
  throw new DatabaseFailure('database.table_missing', 'The database has no such table.', {
    reason: 'missing',
  })
}
