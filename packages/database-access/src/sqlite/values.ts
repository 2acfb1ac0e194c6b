import type { Cell } from '#/access.ts'
import { DATABASE_LIMITS } from '#/limits.ts'
import { binaryCell, integerCell, textCell } from '#/result/cells.ts'

// The gateway replaces the password before it cuts, so it gets somewhat more than it shows.
const MAX_BYTES = DATABASE_LIMITS.maxCellBytes + 4096

/** A value of `node:sqlite` with big integers. */
export function sqliteCell(value: unknown): Cell {
  if (value === null) return null
  if (typeof value === 'bigint') return integerCell(value.toString())
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value instanceof Uint8Array) return binaryCell(value)
  return textCell(typeof value === 'string' ? value : '', MAX_BYTES)
}
