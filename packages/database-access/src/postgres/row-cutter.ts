import type { Filter } from '#/wire/filtered.ts'
import { keptOf, type RowLimits } from '#/wire/row-limits.ts'
import { Taker } from '#/wire/take.ts'

const DATA_ROW = 'D'.charCodeAt(0)

interface Row {
  columns: number
  readonly fields: (Buffer | null)[]
  /** Bytes of the current field that are still to be kept, and to be dropped. */
  keep: number
  drop: number
  kept: Buffer[]
  bytes: number
}

/**
 * Shortens the fields of DataRow messages (protocol, 54.7) while they arrive, so that a cell of 1 GiB takes no more
 * memory here than its limit. Everything else passes as it is.
 */
export function makeRowCutter(limits: RowLimits): Filter {
  const { maxFieldBytes } = limits
  const taker = new Taker()
  let passing = 0
  let row: Row | undefined
  const step = (emit: (part: Buffer) => void): boolean => {
    if (passing > 0) {
      const part = taker.takeUpTo(passing)
      passing -= part.length
      if (part.length > 0) emit(part)
      return part.length > 0
    }
    if (row) {
      if (!stepRow(taker, row, limits)) return false
      if (row.fields.length === row.columns && row.columns >= 0) {
        emit(rendered(row.fields))
        row = undefined
      }
      return true
    }
    if (passShort(taker, maxFieldBytes, emit)) return true
    const header = taker.take(5)
    if (!header) return false
    if (header[0] === DATA_ROW) row = { columns: -1, fields: [], keep: 0, drop: 0, kept: [], bytes: 0 }
    else {
      emit(header)
      passing = header.readUInt32BE(1) - 4
    }
    return true
  }
  return {
    push(chunk, emit) {
      taker.add(chunk)
      while (step(emit));
    },
  }
}

/** Passes on what is here of complete messages without a field to shorten, in one piece. False where there is none. */
function passShort(taker: Taker, maxFieldBytes: number, emit: (part: Buffer) => void): boolean {
  const here = taker.takeUpTo(taker.length)
  const end = shortMessages(here, maxFieldBytes)
  if (end < here.length) taker.add(here.subarray(end))
  if (end > 0) emit(here.subarray(0, end))
  return end > 0
}

/** Bytes of the complete messages that a chunk begins with and that have no field to shorten. */
function shortMessages(chunk: Buffer, maxFieldBytes: number): number {
  let end = 0
  while (end + 5 <= chunk.length) {
    const length = chunk.readUInt32BE(end + 1)
    const next = end + 1 + length
    if (length < 4 || length > maxFieldBytes || next > chunk.length) break
    end = next
  }
  return end
}

/** One move within a row; false when more bytes are needed. */
function stepRow(taker: Taker, row: Row, limits: RowLimits): boolean {
  if (row.keep > 0 || row.drop > 0) return stepField(taker, row)
  if (row.columns < 0) {
    const count = taker.take(2)
    if (count) row.columns = count.readUInt16BE(0)
    return count !== undefined
  }
  const length = taker.take(4)?.readInt32BE(0)
  if (length === undefined) return false
  if (length < 0) row.fields.push(null)
  else if (length === 0) row.fields.push(Buffer.alloc(0))
  else {
    row.keep = keptOf(length, row.bytes, limits)
    row.drop = length - row.keep
    row.bytes += row.keep
    row.kept = []
  }
  return true
}

function stepField(taker: Taker, row: Row): boolean {
  if (taker.length === 0) return false
  if (row.keep > 0) {
    const part = taker.takeUpTo(row.keep)
    row.keep -= part.length
    row.kept.push(part)
  } else row.drop -= taker.takeUpTo(row.drop).length
  if (row.keep === 0 && row.drop === 0) row.fields.push(Buffer.concat(row.kept))
  return true
}

function rendered(fields: readonly (Buffer | null)[]): Buffer {
  const head = Buffer.alloc(7)
  const parts: Buffer[] = [head]
  for (const field of fields) {
    const length = Buffer.alloc(4)
    length.writeInt32BE(field === null ? -1 : field.length)
    parts.push(length)
    if (field) parts.push(field)
  }
  const whole = Buffer.concat(parts)
  whole[0] = DATA_ROW
  whole.writeUInt32BE(whole.length - 1, 1)
  whole.writeUInt16BE(fields.length, 5)
  return whole
}
