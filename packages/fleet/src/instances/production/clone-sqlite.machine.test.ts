import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { addDatabase } from '@fleet/testing'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { installSqlitePrograms } from '@fleet/testing/sqlite-programs'
import { cloneWorld } from './clone-world.test.ts'

/** A candidate with a database in its checkout, which Git ignores. */
async function startWithDatabase() {
  const state = mkdtempSync(join(tmpdir(), 'fleet-clone-'))
  installSqlitePrograms(state, state)
  const fleet = await startInstancesFleet({ env: { PATH: `${state}:${process.env['PATH'] ?? ''}` } })
  fleet.git.commit('app', 'feature', { '.gitignore': '/data/\n' })
  const world = await cloneWorld(fleet)
  const source = join(world.candidate.checkout_path, 'data', 'shop.sqlite')
  mkdirSync(join(source, '..'))
  make(source)
  return {
    ...world,
    fleet,
    source,
    home: join(fleet.home, 'homes', 'app-live'),
    put: (name: string, text: string) => writeFileSync(join(state, name), text),
    remove: (name: string) => rmSync(join(state, name)),
    asked: () => (existsSync(join(state, 'copies')) ? readFileSync(join(state, 'copies'), 'utf8') : ''),
    store: (values: Readonly<Record<string, string>>) =>
      world.domains.environment.replace(fleet.call(), world.candidate, async () => ({
        set: new Map(Object.entries(values)),
        removed: [],
      })),
    [Symbol.asyncDispose]: async () => {
      await fleet[Symbol.asyncDispose]()
      rmSync(state, { recursive: true, force: true })
    },
  }
}

function make(path: string): void {
  using database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)')
}

function rowsIn(path: string): unknown {
  using database = new DatabaseSync(path)
  assert.equal(Object.values(database.prepare('PRAGMA integrity_check').get() ?? {})[0], 'ok')
  return Object.values(database.prepare('SELECT count(*) FROM t').get() ?? {})[0]
}

const clones = ({ store }: InstancesFleet) =>
  store.db
    .selectFrom('instances')
    .select(['id', 'failed_step', 'error_code'])
    .where('name', '=', 'live')
    .execute()

test('a clone gets a database of its candidate as it is in that moment, its stored values name it, and the identical request copies nothing again [INS-030, INS-102, INS-107]', async () => {
  await using world = await startWithDatabase()
  const { clone, source, home, candidate, domains, fleet } = world
  const target = join(home, 'database.sqlite')
  await world.store({ DB_DATABASE: source, QUEUE_FILE: source, ELSEWHERE: `${source}.other` })
  const writer = new DatabaseSync(source)
  // What it has not committed is in no copy.
  writer.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (3)')
  const { data, created } = await clone({ sqlite_source_path: source })
  writer.exec('COMMIT')
  writer.close()
  assert.deepEqual([created, data.status, data.selected_branch], [true, 'active', candidate.selected_branch])
  assert.deepEqual([rowsIn(target), rowsIn(source)], [2, 3])
  assert.deepEqual(readdirSync(home).toSorted(), ['database.sqlite', 'releases'])
  assert.partialDeepStrictEqual(Object.fromEntries(await domains.environment.stored(data.id)), {
    DB_CONNECTION: 'sqlite',
    DB_DATABASE: target,
    QUEUE_FILE: target,
    ELSEWHERE: `${source}.other`,
    APP_ENV: 'production',
  })
  assert.equal((await domains.environment.stored(candidate.id)).get('DB_DATABASE'), source)
  const asked = world.asked()
  assert.equal(asked.match(/carry send/g)?.length, 1)
  const again = await clone({ sqlite_source_path: source })
  assert.deepEqual([again.created, again.data, world.asked()], [false, data, asked])
  assert.equal((await clones(fleet)).length, 1)
  for (const other of [{}, { sqlite_source_path: `${source}x` }])
    assert.equal((await refusalOf(clone(other))).code, 'instance.clone_retry_conflict')
})

test('a database outside of the candidate has to be one of its own, by its stored values or its databases [INS-100]', async () => {
  await using world = await startWithDatabase()
  const { clone, fleet, candidate, home } = world
  const path = join(fleet.home, 'away.sqlite')
  make(path)
  const refused = await refusalOf(clone({ sqlite_source_path: path }))
  assert.deepEqual([refused.code, refused.status], ['instance.clone_sqlite_unconfirmed', 409])
  assert.deepEqual([await clones(fleet), world.asked()], [[], ''])
  // The record of somebody else confirms nothing.
  await addDatabase(fleet.store, { slug: 'away', driver: 'sqlite', node_id: fleet.node.id, path })
  assert.equal(
    (await refusalOf(clone({ sqlite_source_path: path }))).code,
    'instance.clone_sqlite_unconfirmed',
  )
  const attachment = {
    instance_id: candidate.id,
    prefix: 'DB',
    slug: 'away',
    created_at: '2026-01-01T00:00:00.000Z',
  }
  await fleet.store.db.insertInto('database_attachments').values(attachment).execute()
  await clone({ sqlite_source_path: path })
  assert.equal(rowsIn(join(home, 'database.sqlite')), 2)
  await fleet.store.db.deleteFrom('database_attachments').execute()
  for (const [name, value] of [
    ['second', path],
    ['third', `sqlite:///${path}`],
  ] as const) {
    await world.store({ DATABASE: value })
    await clone({ name, preview_name: name, sqlite_source_path: path })
  }
})

test('a broken database refuses the clone before anything is stored [INS-100]', async () => {
  await using world = await startWithDatabase()
  const { clone, fleet, source } = world
  const refused = async (problem: string): Promise<void> => {
    const { code, status, details } = await refusalOf(clone({ sqlite_source_path: source }))
    assert.deepEqual([code, status, details['problem']], ['sqlite.seed_preflight_failed', 409, problem])
    assert.deepEqual(details['node'], { id: fleet.node.id, name: fleet.node.name })
    assert.deepEqual(await clones(fleet), [])
  }
  renameSync(source, `${source}.away`)
  await refused('missing')
  writeFileSync(source, 'no database '.repeat(99))
  await refused('damaged')
  renameSync(`${source}.away`, source)
  world.put('no-examine', '127')
  await refused('command_missing')
})

test('what breaks on the way has the code of its place, and the identical request finishes the clone [INS-100, INS-106]', async () => {
  await using world = await startWithDatabase()
  const { clone, fleet, source, home, production } = world
  const request = { sqlite_source_path: source }
  for (const [file, text, code, node] of [
    ['no-send', '137', 'sqlite.seed_preflight_failed', fleet.node],
    ['cut-send', '5000', 'sqlite.seed_transfer_failed', production],
    ['no-receive', '137', 'sqlite.seed_failed', production],
  ] as const) {
    world.put(file, text)
    const failed = await refusalOf(clone(request))
    assert.deepEqual([failed.code, failed.details['node']], [code, { id: node.id, name: node.name }])
    assert.partialDeepStrictEqual(await clones(fleet), [{ failed_step: 'sqlite-seed', error_code: code }])
    assert.equal(
      readdirSync(home).some((name) => name.startsWith('database')),
      false,
    )
    world.remove(file)
  }
  const { data, created } = await clone(request)
  assert.deepEqual([created, data.status, rowsIn(join(home, 'database.sqlite'))], [false, 'active', 2])
})
