import type { Cell } from '#/access.ts'
import { binaryCell, floatCell, integerCell, jsonCell } from '#/result/cells.ts'
import type { MysqlField } from './session.ts'

const BINARY = 63
type Read = (bytes: Buffer, field: MysqlField) => Cell

const text: Read = (bytes) => bytes.toString()
const integer: Read = (bytes) => integerCell(bytes.toString())
const float: Read = (bytes) => floatCell(bytes.toString())
const bytesOrText: Read = (bytes, { charset }) => (charset === BINARY ? binaryCell(bytes) : bytes.toString())
const dateTime = (bytes: Buffer): string => bytes.toString().replace(' ', 'T')

/** By the type of the column (enum_field_types of the protocol); every other type is its text. */
const READERS: Readonly<Record<number, Read>> = {
  1: integer,
  2: integer,
  3: integer,
  4: float,
  5: float,
  // The session has the time zone UTC. A zero date is no point in time, so it gets no zone.
  7: (bytes) => dateTime(bytes) + (bytes.toString().startsWith('0000-00-00') ? '' : 'Z'),
  8: integer,
  9: integer,
  12: dateTime,
  13: integer,
  16: (bytes) => integerCell(BigInt(`0x${bytes.toString('hex') || '0'}`).toString()),
  242: (bytes) => binaryCell(bytes),
  245: (bytes) => jsonCell(bytes.toString()),
  249: bytesOrText,
  250: bytesOrText,
  251: bytesOrText,
  252: bytesOrText,
  253: bytesOrText,
  254: bytesOrText,
  15: bytesOrText,
  255: (bytes) => binaryCell(bytes),
}

const NO_FIELD: MysqlField = { name: '', type: 0, charset: 0 }

/** A value as the server prints it in the text protocol. */
export const mysqlCell = (bytes: Buffer | null, field: MysqlField = NO_FIELD): Cell =>
  bytes === null ? null : (READERS[field.type] ?? text)(bytes, field)
