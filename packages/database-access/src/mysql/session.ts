import { type Connection, createConnection, type FieldPacket } from 'mysql2'
import type { ServerTarget } from '#/access.ts'
import { DATABASE_LIMITS } from '#/limits.ts'
import { FilteredStream } from '#/wire/filtered.ts'
import { makeMysqlRowCutter } from './row-cutter.ts'

/** A column of a result, as the protocol describes it. */
export interface MysqlField {
  readonly name: string
  readonly type: number
  /** 63 is binary. */
  readonly charset: number
}

export type MysqlRow = readonly (Buffer | null)[]

export interface MysqlHandler {
  fields(fields: readonly MysqlField[]): void
  /** False when no further row is wanted. */
  row(row: MysqlRow): boolean
}

/** One connection that one statement uses. Disposing of it closes it. */
export interface MysqlSession extends Disposable {
  readonly threadId: number
  /** Runs a query of ours and resolves with its rows as texts. */
  ask(sql: string): Promise<ReadonlyArray<readonly (string | null)[]>>
  /** Runs one statement. Resolves with the count of affected rows; early once a handler wants no more. */
  run(sql: string, on: MysqlHandler): Promise<number>
}

const FIELD_BYTES = DATABASE_LIMITS.maxCellBytes + 4096
const ROW_BYTES = 8 * 1024 * 1024

/** Connects and logs in. Rejects with what the driver says; the caller classifies it. */
export async function connectMysql(target: ServerTarget, signal: AbortSignal): Promise<MysqlSession> {
  const inner = await target.open(signal)
  const cutter = makeMysqlRowCutter(FIELD_BYTES, ROW_BYTES)
  const stream = new FilteredStream(inner, cutter)
  const connection = createConnection({
    stream,
    user: target.username,
    password: target.password.reveal(),
    database: target.database,
    charset: 'utf8mb4',
    multipleStatements: false,
    // The server cannot ask for a file, names of functions stay names, and a write counts what it changed.
    flags: ['-LOCAL_FILES', '-IGNORE_SPACE', '-FOUND_ROWS'],
    // The time limit of the caller is the only one.
    connectTimeout: 0,
  })
  connection.on('error', () => undefined)
  const abort = (): void => void stream.destroy(new Error('aborted'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    await connected(connection)
  } catch (error) {
    stream.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
  return session(connection, stream, () => cutter.expectResult())
}

const connected = (connection: Connection): Promise<void> =>
  new Promise((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()))
  })

function session(connection: Connection, stream: FilteredStream, expectResult: () => void): MysqlSession {
  const run = (sql: string, on: MysqlHandler): Promise<number> => {
    expectResult()
    return streamed(connection, sql, on)
  }
  return {
    threadId: connection.threadId,
    run,
    ask: async (sql) => {
      const rows: (readonly (string | null)[])[] = []
      const row = (cells: MysqlRow): boolean => rows.push(cells.map((cell) => cell?.toString() ?? null)) > 0
      await run(sql, { fields: () => undefined, row })
      return rows
    },
    [Symbol.dispose]: () => {
      // COM_QUIT, so that the server does not count an aborted client.
      if (!stream.destroyed) connection.end(() => stream.destroy())
    },
  }
}

function streamed(connection: Connection, sql: string, on: MysqlHandler): Promise<number> {
  return new Promise((resolve, reject) => {
    let affected = 0
    let isDone = false
    const query = connection.query({
      sql,
      rowsAsArray: true,
      typeCast: (field: { buffer(): Buffer | null }) => field.buffer(),
    })
    query.on('error', reject)
    query.on('fields', (fields: readonly FieldPacket[] | undefined) => {
      if (fields) on.fields(fields.map(fieldOf))
    })
    query.on('result', (row: unknown) => {
      if (isDone) return
      if (!Array.isArray(row)) affected += affectedRows(row)
      // as: every value passed the cast above.
      else if (!on.row(row as MysqlRow)) {
        isDone = true
        resolve(affected)
      }
    })
    query.on('end', () => resolve(affected))
  })
}

const affectedRows = (header: unknown): number => {
  const { affectedRows: count } = Object(header) as { affectedRows?: unknown } // as: members of any object are unknown.
  return typeof count === 'number' ? count : 0
}

function fieldOf(field: FieldPacket): MysqlField {
  const { characterSet } = field as unknown as { characterSet: number } // as: mysql2 3.24.6 has it, its types do not.
  return { name: field.name, type: field.columnType ?? 0, charset: characterSet }
}
