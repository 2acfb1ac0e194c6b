// SQLite's result code (sqlite.org/rescode.html), and that of PostgreSQL for its own disk.
const SQLITE_FULL = 13
const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100'])

/** Whether the store, or this machine, had no room left for what was to be written. */
export function isFullDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && CODES.has(error.code)) return true
  if ('errcode' in error && error.errcode === SQLITE_FULL) return true
  // A transaction that failed so cannot be rolled back either, and that error comes first.
  return (error instanceof SuppressedError && isFullDisk(error.suppressed)) || isFullDisk(error.cause)
}
