/** Bounds of one statement and its result (decision 23). */
export const DATABASE_LIMITS = {
  /** DBS-008: characters of a statement. */
  sqlMaxLength: 16_384,
  /** DB-054: rows of a result. */
  maxRows: 500,
  /** Bytes of the JSON of all rows. */
  maxResultBytes: 1024 * 1024,
  /** Bytes of one cell as the server prints it; longer ones are cut and end with CUT_MARK. */
  maxCellBytes: 64 * 1024,
  /** Milliseconds for a statement when the caller gives none. */
  timeoutMilliseconds: 30_000,
} as const

/** Ends a cell that was longer than `maxCellBytes`. */
export const CUT_MARK = '… [cut]'
