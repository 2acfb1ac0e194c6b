import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Checkpoints } from '#/sqlite/checkpoints.ts'
import { Statements } from '#/sqlite/statements.ts'
import { Turn } from '#/sqlite/turn.ts'

// Another process (a backup, the sqlite3 shell) may hold the file for a moment; waiting blocks this process, so not for long.
const BUSY_MILLISECONDS = 5000

// A commit checkpoints by itself only when the thread cannot keep up or the log must begin anew, which needs a pause of the writes.
const LOG_PAGES = 16_000

/** How sure a commit must be before it answers. `relaxed` survives a killed process, but not a power cut. */
export type Durability = 'full' | 'relaxed'

/**
 * One SQLite file: a writer whose turns are taken one after the other, and a reader that never waits,
 * because WAL shows it the last committed state while a transaction is open.
 */
export class SqliteFile {
  readonly reader: Statements
  readonly turn = new Turn()
  readonly checkpoints: Checkpoints
  readonly #writer: Statements
  #durability: Durability = 'full'

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // Made here with its mode: SQLite would make it readable for everybody.
    closeSync(openSync(path, 'a', 0o600))
    this.#writer = new Statements(new DatabaseSync(path, { timeout: BUSY_MILLISECONDS }))
    this.#writer.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
    this.#writer.exec(`pragma wal_autocheckpoint = ${LOG_PAGES}`)
    this.checkpoints = new Checkpoints(path)
    this.reader = new Statements(new DatabaseSync(path, { readOnly: true, timeout: BUSY_MILLISECONDS }))
  }

  /** The writer, set to the wanted durability. Only the holder of the turn may use it. */
  writer(durability: Durability): Statements {
    if (this.#durability !== durability) {
      this.#writer.exec(`pragma synchronous = ${durability === 'full' ? 'full' : 'normal'}`)
      this.#durability = durability
    }
    return this.#writer
  }

  async close(): Promise<void> {
    await this.checkpoints.close()
    this.reader.close()
    this.#writer.close()
  }
}
