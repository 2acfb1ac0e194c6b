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

/** `processId` is the backend's, as the login said. */
export function plannedSession(exchange: Exchanging, processId: number): PlannedSession {
  /** Names of the statements whose plans the session keeps. */
  const kept = new Map<string, string>()
  return {
    planned: async (sql, settings) => {
      const name = kept.get(sql) ?? `fleet ${kept.size + 1}`
      const rows: PostgresRow[] = []
      let backend: PostgresRow = []
      const send = (wire: Wire): void => {
        runText(wire, `select pg_catalog.pg_backend_pid(), ${asExpressions(settings, true)}`)
        if (!kept.has(sql)) {
          wire.close({ type: 'S', name })
          wire.parse({ name, text: sql, types: [] })
        }
        wire.bind({ portal: '', statement: name, values: [] })
        wire.execute({ portal: '', rows: 0 })
        wire.sync()
      }
      const on = { fields: () => undefined, row: (row: PostgresRow) => void rows.push(row) }
      await exchange(send, on, () => (backend = backend.length === 0 ? (rows.shift() ?? []) : backend))
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
