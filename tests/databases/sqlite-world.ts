import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createInterface } from 'node:readline'
import { type DatabaseAccess, type FileTarget, openDatabases } from '@fleet/database-access'
import { Secret, systemClock, systemIds } from '@fleet/kernel'
import { readSetup } from './corpus.ts'

export const PASSWORD = 'horse/Battery+Staple 7'

/** A SQLite file in a folder of its own, and a process that answers for it. */
export interface SqliteWorld extends AsyncDisposable {
  readonly databases: DatabaseAccess
  readonly target: FileTarget
  readonly folder: string
  /** Everything that a read must not change, as text. */
  fingerprint(): string
}

export async function startSqliteWorld(journal: 'delete' | 'wal'): Promise<SqliteWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-sqlite-'))
  const path = join(folder, 'corpus.db')
  const database = new DatabaseSync(path)
  database.exec(`pragma journal_mode = ${journal}; ${readSetup('sqlite')}`)
  database.close()
  const child = spawn(process.execPath, [join(import.meta.dirname, 'sqlite-child.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting: ((line: string) => void)[] = []
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(line))
  return {
    databases: openDatabases({ clock: systemClock, ids: systemIds }),
    target: {
      engine: 'sqlite',
      path,
      password: new Secret(PASSWORD),
      run: (input) =>
        new Promise((resolve) => {
          waiting.push(resolve)
          child.stdin.write(input)
        }),
    },
    folder,
    fingerprint: () => fingerprint(folder),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end()
      if (child.exitCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function fingerprint(folder: string): string {
  const files = readdirSync(folder).map((name) => {
    const path = join(folder, name)
    return `${name} ${statSync(path).mtimeMs} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`
  })
  return [
    ...files,
    readdirSync('/tmp')
      .filter((name) => name.startsWith('fleet-corpus-'))
      .join(),
  ].join('\n')
}
