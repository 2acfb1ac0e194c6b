import { type PostgresRow, type RowHandler, runText, type Wire } from './exchange.ts'
import { asExpressions, type Settings } from './set-config.ts'

/** A session that keeps plans of statements of ours (decision 0296). */
export interface PlannedSession {
  /**
   * Runs a statement of ours whose plan the session keeps, with settings that last until the transaction ends. Behind a pooler, which
   * may give each transaction another backend, it is planned each time.
   */
  planned(sql: string, settings: Settings): Promise<readonly PostgresRow[]>
  /** Makes the session what it was after its login, but for the plans above. Throws when it is not, or a transaction is open. */
  reset(): Promise<void>
}

/** Sends messages and resolves once the server is ready again. */
type Exchanging = (send: (wire: Wire) => void, on?: RowHandler, onComplete?: () => void) => Promise<string>

/** Whose backend it is, as the login said. */
export interface Backend {
  readonly processId: number
  /** As 170004. */
  readonly version: number
}

export function plannedSession(exchange: Exchanging, { processId, version }: Backend): PlannedSession {
  /** Names of the statements whose plans the session keeps. */
  const kept = new Map<string, string>()
  return {
    planned: async (sql, settings) => {
      const name = kept.get(sql) ?? `fleet ${kept.size + 1}`
      const rows: PostgresRow[] = []
      let backend: PostgresRow = []
      let completed = 0
      const hasJit = version >= JIT_SINCE
      const send = (wire: Wire): void => {
        const expressions = [asExpressions(settings, true), ...(hasJit ? [WITHOUT_JIT] : [])]
        runText(wire, `select pg_catalog.pg_backend_pid(), ${expressions.join(', ')}`)
        if (!kept.has(sql)) {
          wire.close({ type: 'S', name })
          wire.parse({ name, text: sql, types: [] })
        }
        wire.bind({ portal: '', statement: name, values: [] })
        wire.execute({ portal: '', rows: 0 })
        if (hasJit) runText(wire, AS_BEFORE)
        wire.sync()
      }
      const row = (one: PostgresRow): void => {
        if (completed === 0) backend = one
        if (completed === 1) rows.push(one)
      }
      await exchange(send, { fields: () => undefined, row }, () => (completed += 1))
      if (backend[0] === String(processId)) kept.set(sql, name)
      return rows
    },
    reset: async () => {
      // Refused inside a transaction: its end came with the statement.
      await exchange((wire) => wire.query(kept.size === 0 ? 'discard all' : discardBut(kept.size)))
    },
  }
}

/**
 * The server would compile the many expressions of a statement of ours each time it runs, which takes seconds
 * (jit-decision.html). The statement of the caller is planned as its application's is.
 */
const JIT_SINCE = 110_000
const WITHOUT_JIT = `pg_catalog.set_config('fleet.jit', pg_catalog.current_setting('jit'), true), pg_catalog.set_config('jit', 'off', true)`
const AS_BEFORE = `select pg_catalog.set_config('jit', pg_catalog.current_setting('fleet.jit'), true)`

/**
 * What DISCARD ALL does (sql-discard.html) but for plans and for prepared statements, of which there may be ours alone; a
 * division by zero says that there are others, or that a transaction is open.
 */
const discardBut = (
  plans: number,
): string => `close all; set session authorization default; reset all; unlisten *;
  select pg_catalog.pg_advisory_unlock_all(), pg_catalog.int4div(1, case when
    pg_catalog.now() operator(pg_catalog.=) pg_catalog.statement_timestamp()
    and (select pg_catalog.count(*) from pg_catalog.pg_prepared_statements) operator(pg_catalog.=) ${plans} then 1 else 0 end);
  discard temp; discard sequences`
