import type { Cell } from '#/access.ts'
import { CUT_MARK, DATABASE_LIMITS } from '#/limits.ts'

/** A text as it may be shown, with a mark where it was cut. `text` may be longer than the limit of a cell, not complete. */
export function textCell(text: string, maxBytes: number = DATABASE_LIMITS.maxCellBytes): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
  const bytes = Buffer.from(text).subarray(0, maxBytes)
  // A sign that the cut went through decodes to a replacement sign.
  return bytes.toString().replace(/\uFFFD+$/, '') + CUT_MARK
}

/** Bytes as base64; `cut` when there were more. */
export function binaryCell(bytes: Uint8Array, maxBytes: number = DATABASE_LIMITS.maxCellBytes): Cell {
  const isCut = bytes.length > maxBytes
  const base64 = Buffer.from(isCut ? bytes.subarray(0, maxBytes) : bytes).toString('base64')
  return asBinary(isCut ? { base64, cut: true } : { base64 })
}

const BINARY = Symbol('binary')

/** Bytes of a cell that was JSON on its way here. */
export const asBinary = (cell: { readonly base64: string; readonly cut?: boolean }): Cell =>
  Object.defineProperty(cell, BINARY, { value: true })

/** Whether a cell is bytes, and no JSON value that only looks like them. */
export const isBinary = (cell: object): cell is { readonly base64: string } => BINARY in cell

/** An integer as a number where a JSON reader keeps it exact, else as its digits. */
export function integerCell(text: string): Cell {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : text
}

/** A floating point number; NaN and the infinities, which JSON lacks, by their names. */
export function floatCell(text: string): Cell {
  const value = Number(text)
  return Number.isFinite(value) ? value : text
}

/** JSON as the value it is; numbers that a double would change are their digits. Text when it is cut or no JSON. */
export function jsonCell(text: string): Cell {
  if (Buffer.byteLength(text) > DATABASE_LIMITS.maxCellBytes) return textCell(text)
  try {
    // as: what JSON.parse makes is a Cell by its grammar. The types of the library lack the context of ES2026.
    return JSON.parse(text, exactNumbers as (name: string, value: unknown) => unknown) as Cell
  } catch {
    return text
  }
}

function exactNumbers(_name: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value
  return Number.isFinite(value) && digitsOf(String(value)) === digitsOf(context.source)
    ? value
    : context.source
}

/** The digits that count: `1.50` and `15e-1` have the same. A double prints as few as tell it from every other one. */
const digitsOf = (text: string): string =>
  text.replace(/e.*/i, '').replaceAll(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '')
