import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { PLACES } from '#/console/places.ts'
import { DATABASE } from './contents.ts'
import { requireRoom } from './room.ts'

/** An unpacked backup of a gateway on SQLite, which is restored with these settings. */
function savedSqlite(context: TestContext, settings: string) {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-backup-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const files = [
    [join(folder, DATABASE), ''],
    [join(folder, 'machine', PLACES.settings), settings],
  ] as const
  for (const [path, text] of files) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return { folder, id: 'one', keepRecords: false }
}

test('records of SQLite are not restored beside a database that the gateway would use instead', async (context) => {
  await assert.rejects(requireRoom(savedSqlite(context, 'FLEET_DATABASE_URL=postgres://a@b/c\n')), {
    message:
      'The backup contains the records of a gateway on SQLite, which cannot be restored to the database at FLEET_DATABASE_URL.',
    next: 'Remove FLEET_DATABASE_URL from /etc/fleet/gateway.env, then run the same command again.',
  })
  await requireRoom(savedSqlite(context, 'FLEET_LOG=json\n'))
})
