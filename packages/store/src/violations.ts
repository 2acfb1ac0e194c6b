/** Which rule of the schema a write broke. */
export interface Violation {
  readonly kind: 'unique' | 'reference'
  /** `instances(project_id,name)`: the table and the columns of the broken unique rule; undefined for a reference. */
  readonly rule: string | undefined
}

// SQLite's extended result codes (sqlite.org/rescode.html).
const SQLITE_UNIQUE = new Set([1555, 2067])
// A refused ON DELETE RESTRICT counts as a trigger there; no other trigger exists.
const SQLITE_FOREIGN_KEY = new Set([787, 1811])
// PostgreSQL's error codes, class 23; RESTRICT has one of its own.
const POSTGRES_UNIQUE = '23505'
const POSTGRES_FOREIGN_KEY = new Set(['23503', '23001'])

/** Reads a driver's error. Undefined when it is not about a unique rule or a reference. */
export function violationOf(error: unknown): Violation | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return 'errcode' in error ? sqliteViolation(error.errcode, error.message) : postgresViolation(error)
}

/**
 * Whether a write failed because a row with these values already exists, for example `isTaken(error, 'nodes(name)')`.
 */
export const isTaken = (error: unknown, rule: string): boolean => {
  const violation = violationOf(error)
  return violation?.kind === 'unique' && violation.rule === rule
}

const sqliteViolation = (errcode: unknown, message: string): Violation | undefined => {
  if (typeof errcode !== 'number') return undefined
  if (SQLITE_FOREIGN_KEY.has(errcode)) return { kind: 'reference', rule: undefined }
  if (!SQLITE_UNIQUE.has(errcode)) return undefined
  // `UNIQUE constraint failed: instances.project_id, instances.name`
  const names = message.slice(message.indexOf(': ') + 2).split(', ')
  const table = names[0]?.split('.')[0] ?? ''
  return { kind: 'unique', rule: `${table}(${names.map((name) => name.slice(table.length + 1)).join()})` }
}

const postgresViolation = (
  error: Error & { code: unknown; table?: unknown; detail?: unknown },
): Violation | undefined => {
  if (typeof error.code !== 'string') return undefined
  if (POSTGRES_FOREIGN_KEY.has(error.code)) return { kind: 'reference', rule: undefined }
  if (error.code !== POSTGRES_UNIQUE) return undefined
  // `Key (project_id, name)=(7, web) already exists.`, around the parentheses in the language of the server.
  const columns = /\((.*?)\)=\(/.exec(String(error.detail))?.[1] ?? ''
  return { kind: 'unique', rule: `${String(error.table)}(${columns.replaceAll(/[ "]/g, '')})` }
}
