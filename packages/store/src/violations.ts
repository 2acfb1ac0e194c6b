// SQLite result codes (sqlite3.h) and PostgreSQL error codes (appendix A of its manual).
const UNIQUE: readonly unknown[] = [2067, 1555, '23505']
const REFERENCE: readonly unknown[] = [787, 1811, '23503', '23001']

/** The write would have made a second row with a value that may stand only once. */
export const isUniqueViolation = (error: unknown): boolean => UNIQUE.includes(codeOf(error))

/** The write names a row that is gone, or removes one that others still name. */
export const isReferenceViolation = (error: unknown): boolean => REFERENCE.includes(codeOf(error))

function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined
  if ('errcode' in error) return error.errcode
  return 'code' in error ? error.code : undefined
}
