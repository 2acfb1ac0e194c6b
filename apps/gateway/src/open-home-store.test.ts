import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock, systemIds } from '@fleet/kernel'
import { AppKeyFileRefused, WrongKey } from '@fleet/store'
import { forEachDialect, makeTestDatabase } from '@fleet/testing'
import { openHomeStore, RecordsLeftBehind } from './open-home-store.ts'

const deps = { clock: systemClock, ids: systemIds, gatewayId: 'g' }

forEachDialect(
  'a fresh home leaves no key behind for a database of another key',
  ['postgres'],
  async (dialect, context) => {
    await using database = await makeTestDatabase(dialect, 'empty')
    const homes = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'fleet-home-')))
    context.after(() => {
      for (const home of homes) rmSync(home, { recursive: true })
    })
    const [first = '', second = ''] = homes
    const databaseUrl = 'url' in database.location ? database.location.url : undefined
    await (await openHomeStore({ home: first, databaseUrl }, deps))[Symbol.asyncDispose]()
    await assert.rejects(openHomeStore({ home: second, databaseUrl }, deps), WrongKey)
    assert.equal(existsSync(join(second, 'app.key')), false)
    await (await openHomeStore({ home: first, databaseUrl }, deps))[Symbol.asyncDispose]()
  },
)

forEachDialect(
  'a database whose key file is gone is refused, and no new key is made [GW-066]',
  ['sqlite'],
  async (_dialect, context) => {
    const home = mkdtempSync(join(tmpdir(), 'fleet-home-'))
    context.after(() => rmSync(home, { recursive: true }))
    await (await openHomeStore({ home }, deps))[Symbol.asyncDispose]()
    rmSync(join(home, 'app.key'))
    await assert.rejects(openHomeStore({ home }, deps), AppKeyFileRefused)
    assert.equal(existsSync(join(home, 'app.key')), false)
  },
)

forEachDialect(
  'a home with records in SQLite begins no empty fleet in a database without any, and uses one with records',
  ['postgres'],
  async (dialect, context) => {
    await using database = await makeTestDatabase(dialect, 'empty')
    const home = mkdtempSync(join(tmpdir(), 'fleet-home-'))
    context.after(() => rmSync(home, { recursive: true }))
    const databaseUrl = 'url' in database.location ? database.location.url : undefined
    await (await openHomeStore({ home }, deps))[Symbol.asyncDispose]()
    await assert.rejects(openHomeStore({ home, databaseUrl }, deps), RecordsLeftBehind)
    const [file, key] = [join(home, 'gateway.sqlite'), join(home, 'app.key')]
    renameSync(key, `${key}.away`)
    await assert.rejects(openHomeStore({ home, databaseUrl }, deps), RecordsLeftBehind)
    assert.equal(existsSync(key), false, 'a key that opens nothing is not left behind')
    renameSync(`${key}.away`, key)
    renameSync(file, `${file}.away`)
    await (await openHomeStore({ home, databaseUrl }, deps))[Symbol.asyncDispose]()
    renameSync(`${file}.away`, file)
    await (await openHomeStore({ home, databaseUrl }, deps))[Symbol.asyncDispose]()
  },
)
