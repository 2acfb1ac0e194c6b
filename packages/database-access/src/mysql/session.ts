import type { Duplex } from 'node:stream'
import { type Connection, type ConnectionOptions, createConnection, type FieldPacket } from 'mysql2'
import type { ServerTarget, TlsRule } from '#/access.ts'
import type { Session } from '#/connection/with-session.ts'
import { FilteredStream } from '#/wire/filtered.ts'
import { rowLimits } from '#/wire/row-limits.ts'
import { PREFER, secured, wantsTls } from '#/wire/secure.ts'
import { greetingOf } from './greeting.ts'
import { nameAsMariadb } from './mariadb-errors.ts'
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
export interface MysqlSession extends Session {
  readonly threadId: number
  /** Resolves once the connection is gone. */
  readonly closed: Promise<void>
  /** Runs a query of ours and resolves with its rows as texts. */
  ask(sql: string): Promise<ReadonlyArray<readonly (string | null)[]>>
  /** Runs one statement. Resolves with the count of affected rows; early once a handler wants no more. */
  run(sql: string, on: MysqlHandler): Promise<number>
}

/** Connects and logs in. Rejects with what the driver says; the caller classifies it. */
export async function connectMysql(target: ServerTarget, signal: AbortSignal): Promise<MysqlSession> {
  const inner = await target.open(signal)
  const abort = (): void => void inner.destroy(new Error('aborted'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await loggedIn(target, inner)
  } catch (error) {
    inner.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function loggedIn(target: ServerTarget, inner: Duplex): Promise<MysqlSession> {
  const { tls = PREFER } = target
  const { offersTls, isMariadb } = await greetingOf(inner)
  const isSecure = wantsTls(tls, offersTls)
  const name = isMariadb ? nameAsMariadb : () => undefined
  const cutter = makeMysqlRowCutter(rowLimits(1))
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
    // Verified here, not by the driver; it has to know that the stream will be encrypted.
    ...(isSecure ? { ssl: { rejectUnauthorized: false }, authPlugins: plainPlugins(target) } : {}),
  })
  connection.on('error', () => undefined)
  const refused = riseOnDemand(connection, stream, tls)
  try {
    await Promise.race([connected(connection), refused])
  } catch (error) {
    stream.destroy()
    name(error)
    throw error
  }
  return session(connection, stream, { expectResult: () => cutter.expectResult(), name })
}

interface Helpers {
  /** Said before each statement. */
  expectResult(): void
  /** Gives an error of the server its name. */
  name(error: unknown): void
}

/** Inside TLS a server asks for the password itself, and the driver sees no TLS, which is below the filter. */
const plainPlugins = ({ password }: ServerTarget): NonNullable<ConnectionOptions['authPlugins']> => ({
  sha256_password: () => () => Buffer.from(`${password.reveal()}\0`),
})

/** TLS below the filter, which reads rows. Rejects when it does not come about, and never resolves. */
function riseOnDemand(connection: Connection, stream: FilteredStream, tls: TlsRule): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => undefined)
  const starting = connection as unknown as { startTLS: (onSecure: () => void) => void } // as: mysql2 3.24.6 has it, its types do not.
  starting.startTLS = (onSecure) => {
    stream.rise((inner) => secured(inner, tls)).then(onSecure, reject)
  }
  return promise
}

const connected = (connection: Connection): Promise<void> =>
  new Promise((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()))
  })

function session(
  connection: Connection,
  stream: FilteredStream,
  { expectResult, name }: Helpers,
): MysqlSession {
  const closed = new Promise<void>((resolve) => void stream.once('close', resolve))
  // What is asked on a closed connection is answered by the driver in no way that the one who asked sees.
  const lost = closed.then(() => Promise.reject(new Error('the connection is closed')))
  lost.catch(() => undefined)
  const run = async (sql: string, on: MysqlHandler): Promise<number> => {
    expectResult()
    try {
      return await Promise.race([streamed(connection, sql, on), lost])
    } catch (error) {
      name(error)
      throw error
    }
  }
  return {
    threadId: connection.threadId,
    cutOff: () => void stream.destroy(),
    heard: () => stream.heard(),
    closed,
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
    query.on('fields', (fields: FieldPacket[] | undefined) => {
      if (!fields) return
      on.fields(fields.map(fieldOf))
      renamePrivate(fields)
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

/** The driver reads no row with a column such as `__proto__`, although its rows are lists here and need no names. */
function renamePrivate(fields: FieldPacket[]): void {
  for (const [index, field] of fields.entries())
    if (field.name.startsWith('__'))
      // as: an object with everything of the other.
      fields[index] = Object.create(field, { name: { value: 'renamed' } }) as FieldPacket
}

const affectedRows = (header: unknown): number => {
  const { affectedRows: count } = Object(header) as { affectedRows?: unknown } // as: members of any object are unknown.
  return typeof count === 'number' ? count : 0
}

function fieldOf(field: FieldPacket): MysqlField {
  const { characterSet } = field as unknown as { characterSet: number } // as: mysql2 3.24.6 has it, its types do not.
  return { name: field.name, type: field.columnType ?? 0, charset: characterSet }
}
