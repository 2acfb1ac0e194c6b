import { DATABASE_LIMITS } from '#/limits.ts'

/** Bytes that are kept of a row while it arrives. */
export interface RowLimits {
  readonly maxFieldBytes: number
  /** Of all fields. Behind it a field keeps `minFieldBytes`. */
  readonly maxRowBytes: number
  readonly minFieldBytes: number
}

// A password that a cut would go through is still found in the part behind the cut.
const VALUE_BYTES = DATABASE_LIMITS.maxCellBytes + 4096

/** `bytesPerByte`: how many a server sends for one of a binary value. */
export const rowLimits = (bytesPerByte: 1 | 2): RowLimits => ({
  maxFieldBytes: bytesPerByte * VALUE_BYTES,
  maxRowBytes: 8 * 1024 * 1024,
  // A number is whole, and of a longer value there is more than its share of a result, so that it gets its mark.
  minFieldBytes: 12 * 1024,
})

/** Bytes to keep of a field of that length, behind those of the row that are kept. */
export const keptOf = (length: number, rowBytes: number, limits: RowLimits): number =>
  Math.min(length, limits.maxFieldBytes, Math.max(limits.minFieldBytes, limits.maxRowBytes - rowBytes))
