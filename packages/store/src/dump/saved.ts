import { open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { isHistory } from '#/migrations/migrate.ts'
import { DumpRefused, parseHeader } from './format.ts'

/** Records that were saved: a copy of a gateway's SQLite file, or the dump of a PostgreSQL database. */
export type SavedRecords = { readonly file: string } | { readonly dump: string }

/** Whether this version can open them: false for those of a newer version. Throws DumpRefused for a dump that is none. */
export async function canOpenSaved(saved: SavedRecords): Promise<boolean> {
  return isHistory('file' in saved ? migrationsOfFile(saved.file) : await migrationsOfDump(saved.dump))
}

function migrationsOfFile(path: string): readonly string[] {
  using database = new DatabaseSync(path, { readOnly: true })
  const rows = database.prepare('select name from kysely_migration order by name').all()
  return rows.map(({ name }) => String(name))
}

async function migrationsOfDump(path: string): Promise<readonly string[]> {
  await using file = await open(path)
  for await (const line of file.readLines()) return parseHeader(line).migrations
  throw new DumpRefused('the dump is empty')
}
