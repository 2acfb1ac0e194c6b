import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock, systemIds } from '@fleet/kernel'
import { newAppKey, openStore } from '@fleet/store'

// Made once in a process: migrating takes longer than most tests that begin with it.
let made: Promise<Uint8Array> | undefined

/** The bytes of a SQLite file that is migrated, has no rows and knows no application key yet. */
export const migratedFile = (): Promise<Uint8Array> => (made ??= make())

const make = async (): Promise<Uint8Array> => {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-store-'))
  const file = join(directory, 'gateway.sqlite')
  try {
    const deps = { key: newAppKey(), clock: systemClock, ids: systemIds, gatewayId: 'template' }
    await (await openStore({ file, ...deps }))[Symbol.asyncDispose]()
    const database = new DatabaseSync(file)
    database.exec('delete from facts')
    database.close()
    return readFileSync(file)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
