import { systemClock } from '@fleet/kernel'
import { Client } from 'pg'
import type { ServerTarget } from '#/access.ts'
import { FilteredStream } from '#/wire/filtered.ts'
import { rowLimits } from '#/wire/row-limits.ts'
import { PREFER } from '#/wire/secure.ts'
import { DatabaseFailure } from '#/failure.ts'
import { makeRedact, type Redact } from '#/result/redact.ts'
import { encrypted } from './encrypted.ts'
import type { Session } from '#/connection/with-session.ts'
import { Exchange, type PostgresRow, type RowHandler, runText, ServerError, type Wire } from './exchange.ts'
import { type PlannedSession, plannedSession } from './planned.ts'
import { makeRowCutter } from './row-cutter.ts'
import { expressionsOf, SESSION, type Surroundings } from './surroundings.ts'

/** One connection that one statement uses at a time. Disposing of it closes it. */
export interface PostgresSession extends Session, PlannedSession {
  readonly processId: number
  /** Resolves once the connection is gone. */
  readonly closed: Promise<void>
  /** As 170004; 0 when the server does not say. */
  readonly version: number
  readonly isSuperuser: boolean
  readonly isByteEncoded: boolean
  /** Of the password of the login. */
  redact(): Redact
  /** Runs statements of ours by the simple protocol and resolves with the rows of all of them. */
  simple(sql: string): Promise<readonly PostgresRow[]>
  /**
   * Parses a statement without running it, in surroundings of its own if some are given, and resolves with the query trees
   * that the server printed. An error leaves the session printing.
   */
  analyze(sql: string, parameterTypes?: readonly number[], within?: Surroundings): Promise<readonly string[]>
  /**
   * Runs single statements of ours and then parses another one, all in one round trip. Resolves with the query trees of that
   * one, none when it is absent; undefined when a statement of ours failed, after which nothing was parsed.
   */
  start(first: readonly string[], sql: string | undefined): Promise<readonly string[] | undefined>
  /** Runs one statement by the extended protocol. Resolves with the command tag. */
  run(sql: string, how: RunOptions, on: RowHandler): Promise<string>
  /** Runs one statement by the simple protocol, which asks for no values of parameters. */
  runTemplate(sql: string, on: RowHandler): Promise<string>
}

export interface RunOptions {
  /** 0 asks for all. */
  readonly maxRows: number
  /** Ends the transaction in the same round trip; then the tag is that of ROLLBACK. */
  readonly rollsBack?: boolean
}

/** Connects and logs in. Rejects with what `pg` says; the caller classifies it. */
export async function connectPostgres(target: ServerTarget, signal: AbortSignal): Promise<PostgresSession> {
  const inner = await encrypted(await target.open(signal), target.tls ?? PREFER, signal)
  const stream = new FilteredStream(inner, makeRowCutter(rowLimits(2)))
  const client = new Client({
    stream: () => stream,
    user: target.username,
    password: target.password.reveal(),
    database: target.database,
    host: 'database',
    application_name: 'fleet',
    ssl: false,
  })
  // The statement in flight gets the error too; without a listener it would end the process.
  client.on('error', () => undefined)
  const notices: string[] = []
  client.on('notice', ({ message, detail }) => {
    if (message?.startsWith('rewritten parse tree')) notices.push(detail ?? '')
  })
  const parameters = watchParameters(client)
  refuseCleartext(client, stream)
  const abort = (): void => void stream.destroy(new Error('aborted'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    await client.connect()
  } catch (error) {
    stream.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
  return session(client, stream, { notices, parameters, redact: redactOf(target) })
}

/** Made once, and only when there are rows. */
function redactOf({ password, username }: ServerTarget): () => Redact {
  let made: Redact | undefined
  return () => (made ??= makeRedact(password.reveal(), username))
}

/** Emits each message of the server by its name. */
const messagesOf = (client: Client): NodeJS.EventEmitter =>
  (client as unknown as { connection: NodeJS.EventEmitter }).connection // as: pg 8.23.1 has it, its types do not.

function watchParameters(client: Client): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  messagesOf(client).on('parameterStatus', (message: { parameterName: string; parameterValue: string }) => {
    parameters.set(message.parameterName, message.parameterValue)
  })
  return parameters
}

/** Whoever answers at the address would have the password. It is only ever proven, never sent. */
function refuseCleartext(client: Client, stream: FilteredStream): void {
  messagesOf(client).on('authenticationCleartextPassword', () => {
    stream.destroy(
      new DatabaseFailure(
        'database.query_failed',
        'The database server asked for the password in clear text, so it was not sent. Set `scram-sha-256` for this login in its pg_hba.conf.',
        { reason: 'login' },
      ),
    )
  })
}

interface SessionDeps {
  /** What the server prints of query trees arrives here. */
  readonly notices: string[]
  readonly parameters: ReadonlyMap<string, string>
  readonly redact: () => Redact
}

function session(
  client: Client,
  stream: FilteredStream,
  { notices, parameters, redact }: SessionDeps,
): PostgresSession {
  const exchange = (
    send: (wire: Wire) => void,
    on?: RowHandler,
    onComplete: () => void = () => undefined,
  ): Promise<string> => {
    const handlers = on ? { onFields: on.fields.bind(on), onRow: on.row.bind(on) } : {}
    const one = new Exchange({ send: inOnePiece(stream, send), ...handlers, onComplete })
    client.query(one)
    return one.done
  }
  const { processID } = client as unknown as { processID: number } // as: pg 8.23.1 has it, its types do not.
  const backend = { processId: processID, version: versionOf(parameters.get('server_version') ?? '') }
  return {
    ...backend,
    cutOff: () => void stream.destroy(),
    heard: () => stream.heard(),
    closed: new Promise((resolve) => void stream.once('close', resolve)),
    isSuperuser: parameters.get('is_superuser') === 'on',
    isByteEncoded: parameters.get('server_encoding') === 'SQL_ASCII',
    redact,
    simple: async (sql) => {
      const rows: PostgresRow[] = []
      await exchange((wire) => wire.query(sql), {
        fields: () => undefined,
        row: (row) => void rows.push(row),
      })
      return rows
    },
    ...plannedSession(exchange, backend),
    analyze: async (sql, parameterTypes = [], within = SESSION) => {
      notices.length = 0
      const expressions = expressionsOf(within)
      await exchange((wire) => {
        if (expressions.length === 0) parsePrinted(wire, sql, parameterTypes)
        else parseElsewhere(wire, sql, parameterTypes, expressions)
        wire.sync()
      })
      return treesOf(notices)
    },
    start: async (first, sql) => {
      let completed = 0
      const send = (wire: Wire): void => {
        for (const text of first) runText(wire, text)
        // What follows may wait for a lock; that the server is there is to be known before.
        wire.flush()
        if (sql !== undefined) parsePrinted(wire, sql, [])
        wire.sync()
      }
      try {
        await exchange(send, undefined, () => {
          completed += 1
          if (completed === first.length) notices.length = 0
        })
      } catch (error) {
        if (error instanceof ServerError && completed < first.length) return undefined
        throw error
      }
      return sql === undefined ? [] : treesOf(notices)
    },
    run: (sql, { maxRows, rollsBack = false }, on) =>
      exchange((wire) => {
        wire.parse({ name: '', text: sql, types: [] })
        wire.bind({ portal: '', statement: '', values: [] })
        wire.describe({ type: 'P', name: '' })
        wire.execute({ portal: '', rows: maxRows })
        if (rollsBack) runText(wire, 'rollback')
        wire.sync()
      }, on),
    runTemplate: (sql, on) => exchange((wire) => wire.query(sql), on),
    [Symbol.dispose]: () => close(stream),
  }
}

/** Messages that went out one by one would wait for each other's acknowledgement. */
const inOnePiece =
  (stream: FilteredStream, send: (wire: Wire) => void) =>
  (wire: Wire): void => {
    stream.cork()
    send(wire)
    stream.uncork()
  }

/** The server prints the trees of this statement, and of QUIET, which comes last. */
function parsePrinted(wire: Wire, sql: string, types: readonly number[]): void {
  runText(wire, LOUD)
  wire.parse({ name: '', text: sql, types })
  runText(wire, QUIET)
}

/** The same for surroundings that last until the savepoint is rolled back to, which ends the printing too. */
function parseElsewhere(
  wire: Wire,
  sql: string,
  types: readonly number[],
  expressions: readonly string[],
): void {
  runText(wire, 'savepoint elsewhere')
  for (const expression of expressions) runText(wire, `select ${expression}`)
  runText(wire, LOUD)
  wire.parse({ name: '', text: sql, types })
  runText(wire, 'rollback to savepoint elsewhere')
}

const treesOf = (notices: string[]): readonly string[] => notices.splice(0).slice(0, -1)

const printing = (isOn: 'on' | 'off', level: 'log' | 'error'): string =>
  `select pg_catalog.set_config('debug_print_rewritten', '${isOn}', false), pg_catalog.set_config('client_min_messages', '${level}', false)`
const LOUD = printing('on', 'log')
const QUIET = printing('off', 'error')

/** Terminate (protocol, 54.7): without it the server writes into its log that a client has vanished. */
const TERMINATE = Buffer.from([0x58, 0, 0, 0, 4])
const CLOSE_MILLISECONDS = 1000

function close(stream: FilteredStream): void {
  if (stream.destroyed) return
  const timer = systemClock.timer(CLOSE_MILLISECONDS)
  stream.once('close', () => timer[Symbol.dispose]())
  void timer.over.then(() => stream.destroy())
  stream.end(TERMINATE)
}

/** `17.4 (Debian …)` is 170004. */
const versionOf = (text: string): number => {
  const [, major = '0', minor = '0'] = /^(\d+)(?:\.(\d+))?/.exec(text) ?? []
  return Number(major) * 10_000 + Number(minor)
}
