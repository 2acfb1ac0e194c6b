/** The first line of a dump. */
export interface DumpHeader {
  readonly product: 'fleet-records'
  readonly format: 1
  /** Names of the migrations that its schema has, in their order. */
  readonly migrations: readonly string[]
}

/** Before the rows of a table, each of which is a line of its own with one value for each column. */
export interface DumpTable {
  readonly table: string
  readonly columns: readonly string[]
  /** The identity that the next row gets, for tables that number their rows: none is given twice. */
  readonly next?: number
}

export type DumpRow = ReadonlyArray<string | number | null>

/** The last line: a dump without it is cut. */
export interface DumpEnd {
  readonly end: true
  readonly rows: number
}

/** The dump cannot be restored: it is cut, damaged or of a newer version. Nothing was written. */
export class DumpRefused extends Error {
  override readonly name = 'DumpRefused'
}

type DumpLine = DumpTable | DumpRow | DumpEnd

/** Parses one line after the first. Throws DumpRefused. */
export function parseLine(line: string): DumpLine {
  const value = json(line)
  if (Array.isArray(value) && value.every(isCell)) return value
  if (isTable(value) || isEnd(value)) return value
  throw new DumpRefused('a line of the dump is damaged')
}

/** Parses the first line. Throws DumpRefused. */
export function parseHeader(line: string | undefined): DumpHeader {
  const value = line === undefined ? undefined : json(line)
  if (isHeader(value)) return value
  throw new DumpRefused('not a dump of the records of a gateway')
}

export const isTable = (value: unknown): value is DumpTable =>
  isObject(value) && typeof value['table'] === 'string' && isTexts(value['columns'])
export const isEnd = (value: unknown): value is DumpEnd =>
  isObject(value) && value['end'] === true && typeof value['rows'] === 'number'

const isHeader = (value: unknown): value is DumpHeader =>
  isObject(value) &&
  value['product'] === 'fleet-records' &&
  value['format'] === 1 &&
  isTexts(value['migrations'])

const isCell = (value: unknown): value is string | number | null =>
  value === null || typeof value === 'string' || typeof value === 'number'
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function json(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new DumpRefused('a line of the dump is damaged')
  }
}
