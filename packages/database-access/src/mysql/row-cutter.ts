import type { Filter } from '#/wire/filtered.ts'
import { keptOf, type RowLimits } from '#/wire/row-limits.ts'
import { Taker } from '#/wire/take.ts'

/** A filter that has to know when a query is sent: outside of a result, packets look alike. */
export interface MysqlRowCutter extends Filter {
  /** The next packet of the server is its answer to a query (COM_QUERY). */
  expectResult(): void
}

const MAX_PACKET = 0xff_ff_ff

interface Row {
  /** Bytes left of the packet; a packet of the greatest length continues in the next. */
  left: number
  continues: boolean
  head: Buffer
  keep: number
  drop: number
  readonly fields: Buffer[]
  kept: Buffer[]
  bytes: number
}

type Phase = 'other' | 'head' | 'columns' | 'end of columns' | 'rows'

/**
 * Shortens the values of text result rows while they arrive, so that one of 1 GiB takes no more memory here than
 * its limit. Packets get new numbers, since a row is one packet afterwards.
 */
export function makeMysqlRowCutter(limits: RowLimits): MysqlRowCutter {
  const taker = new Taker()
  let phase: Phase = 'other'
  let columns = 0
  let number = 0
  let row: Row | undefined
  const packet = (payload: Buffer): Buffer => {
    const framed = frame(number, payload)
    number = (number + 1) & 255
    return framed
  }
  const whole = (): Buffer | undefined => wholePacket(taker)
  const endOfRows = (payload: Buffer): void => {
    // SERVER_MORE_RESULTS_EXISTS of the status flags.
    const isMore = payload[0] === 0xfe && ((payload[3] ?? 0) & 8) !== 0
    phase = isMore ? 'head' : 'other'
  }
  const small = (emit: (part: Buffer) => void): boolean => {
    const payload = whole()
    if (!payload) return false
    emit(packet(payload))
    if (phase === 'head') {
      columns = columnCount(payload)
      phase = columns > 0 ? 'columns' : 'other'
    } else if (phase === 'columns') {
      columns -= 1
      if (columns === 0) phase = 'end of columns'
    } else phase = 'rows'
    return true
  }
  const rows = (emit: (part: Buffer) => void): boolean => {
    if (row) {
      if (!stepRow(taker, row, limits)) return false
      if (row.left === 0 && !row.continues && row.keep === 0 && row.drop === 0 && row.head.length === 0) {
        emit(packet(Buffer.concat(row.fields)))
        row = undefined
      }
      return true
    }
    const start = taker.peek(5)
    if (!start) return false
    const length = start.readUIntLE(0, 3)
    const isLast = start[4] === 0xff || (start[4] === 0xfe && length < 9)
    if (isLast || length <= limits.maxFieldBytes) {
      const payload = whole()
      if (!payload) return false
      emit(packet(payload))
      if (isLast) endOfRows(payload)
      return true
    }
    row = {
      left: 0,
      continues: true,
      head: Buffer.alloc(0),
      keep: 0,
      drop: 0,
      fields: [],
      kept: [],
      bytes: 0,
    }
    return true
  }
  return {
    expectResult() {
      phase = 'head'
      number = 1
    },
    push(chunk, emit) {
      if (phase === 'other') return emit(chunk)
      taker.add(chunk)
      const step = (): boolean => (phase === 'other' ? false : phase === 'rows' ? rows(emit) : small(emit))
      while (step());
      if (phaseOf() === 'other' && taker.length > 0) emit(taker.takeUpTo(taker.length))
    },
  }
  // The phase changes within the loop, which the checker of types does not see.
  function phaseOf(): Phase {
    return phase
  }
}

function frame(number: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(4)
  header.writeUIntLE(payload.length, 0, 3)
  header[3] = number
  return Buffer.concat([header, payload])
}

/** A whole small packet, or undefined until it is here. */
function wholePacket(taker: Taker): Buffer | undefined {
  const length = taker.peek(4)?.readUIntLE(0, 3)
  return length === undefined ? undefined : taker.take(4 + length)?.subarray(4)
}

/** Columns of the result that a packet begins; 0 for OK, an error, and a request for a file. */
function columnCount(payload: Buffer): number {
  const [first = 0] = payload
  if (first === 0xff || first === 0xfb) return 0
  return first === 0xfc ? payload.readUInt16LE(1) : first
}

/** One move within a row; false when more bytes are needed. */
function stepRow(taker: Taker, row: Row, limits: RowLimits): boolean {
  if (row.left === 0) {
    if (!row.continues) return true
    const header = taker.take(4)
    if (!header) return false
    row.left = header.readUIntLE(0, 3)
    row.continues = row.left === MAX_PACKET
    return true
  }
  if (taker.length === 0) return false
  if (row.keep > 0 || row.drop > 0) return stepField(taker, row)
  const sign = taker.takeUpTo(1)
  row.left -= 1
  row.head = Buffer.concat([row.head, sign])
  const size = HEAD_BYTES[row.head[0] ?? 0] ?? 1
  if (row.head.length < size) return true
  startField(row, limits)
  return true
}

/** Length of a length, by its first byte. */
const HEAD_BYTES: Readonly<Record<number, number>> = { 0xfc: 3, 0xfd: 4, 0xfe: 9 }

function startField(row: Row, limits: RowLimits): void {
  const [first = 0] = row.head
  const isNull = first === 0xfb
  const length = isNull ? 0 : lengthOf(row.head)
  row.keep = keptOf(length, row.bytes, limits)
  row.drop = length - row.keep
  row.bytes += row.keep
  row.kept = []
  row.fields.push(isNull ? row.head : lengthBytes(row.keep))
  row.head = Buffer.alloc(0)
}

function stepField(taker: Taker, row: Row): boolean {
  const part = taker.takeUpTo(Math.min(row.keep > 0 ? row.keep : row.drop, row.left))
  row.left -= part.length
  if (row.keep > 0) {
    row.keep -= part.length
    row.kept.push(part)
    if (row.keep === 0) row.fields.push(...row.kept.splice(0))
  } else row.drop -= part.length
  return true
}

function lengthOf(head: Buffer): number {
  if (head.length === 1) return head[0] ?? 0
  return head.length === 9 ? Number(head.readBigUInt64LE(1)) : head.readUIntLE(1, head.length - 1)
}

function lengthBytes(length: number): Buffer {
  if (length < 0xfb) return Buffer.from([length])
  const bytes = Buffer.alloc(4)
  bytes[0] = 0xfd
  bytes.writeUIntLE(length, 1, 3)
  return bytes
}
