import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { TestDatabase } from '#/environment/api.ts'
import { makeWorld, type World, type WorldGiven } from '#/environment/world.test.ts'

const database: TestDatabase = {
  name: 'shop_feature_test',
  keys: () => ({
    set: new Map([
      ['DB_CONNECTION', 'sqlite'],
      ['DB_DATABASE', 'shop_feature_test'],
      ['DB_PASSWORD', 'pa$$'],
    ]),
    removed: ['DB_HOST', 'DB_PORT', 'DB_USERNAME'],
  }),
}

const git = (directory: string, ...words: readonly string[]): void => {
  const { status, stderr } = spawnSync('git', ['-C', directory, ...words], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

/** A world whose Instance owns its `DB` database, with a checkout that Git knows. */
async function owning(given: WorldGiven = {}) {
  const world = await makeWorld({ testDatabase: () => database, ...given })
  const file = join(world.directory, '.env.testing')
  const checkout = given.directory === undefined ? world.directory : dirname(world.directory)
  git(checkout, 'init', '-q')
  return {
    world,
    checkout,
    file,
    text: () => readFileSync(file, 'utf8'),
    mode: () => (statSync(file).mode & 0o777).toString(8),
    put: (text: string, mode = 0o600) => writeFileSync(file, text, { mode }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

const testing = ({ calls }: World): unknown => calls.at(-1)?.notes.properties['testing']

const CREATED =
  'APP_ENV="testing"\nDB_CONNECTION="sqlite"\nDB_DATABASE="shop_feature_test"\nDB_PASSWORD=\'pa$$\'\nGREETING="hello"\n'

test('a missing testing file is created from the values of .env, and an unchanged one stays [ENV-052, ENV-053]', async () => {
  for (const directory of [undefined, 'app']) {
    await using owner = await owning(directory === undefined ? {} : { directory })
    const { world } = owner
    for (const [key, value] of [
      ['APP_ENV', 'local'],
      ['DB_DATABASE', 'shop_feature'],
      ['DB_HOST', '10.0.0.1'],
      ['GREETING', 'hello'],
    ] as const)
      await world.update(key, value)
    assert.partialDeepStrictEqual(await world.sync(), { changed: true, key_count: 4 })
    assert.equal(owner.text(), CREATED)
    assert.equal(owner.mode(), '600')
    assert.match(world.fileText(), /^APP_ENV="local"\nDB_DATABASE="shop_feature"\n/)
    const { ino } = statSync(owner.file)
    assert.partialDeepStrictEqual(await world.sync(), { changed: false })
    assert.equal(statSync(owner.file).ino, ino)
    rmSync(owner.file)
    assert.partialDeepStrictEqual(await world.sync(), { changed: true })
    assert.equal(owner.text(), CREATED)
    assert.equal(testing(world), undefined)
  }
})

test('an untracked testing file keeps everything but the keys of DB, and gets the mode of .env [ENV-052, ENV-054]', async () => {
  await using owner = await owning()
  const { world } = owner
  await world.update('GREETING', 'hello')
  owner.put(
    '# mine\nAPP_ENV=ci\nexport DB_HOST=localhost\nDB_DATABASE=old # note\nDB_FOREIGN_KEYS=1\nDB_DATABASE=older\nCUSTOM="two\nlines"',
    0o644,
  )
  assert.partialDeepStrictEqual(await world.sync(), { changed: true })
  assert.equal(
    owner.text(),
    '# mine\nAPP_ENV=ci\nDB_DATABASE="shop_feature_test"\nDB_FOREIGN_KEYS=1\nCUSTOM="two\nlines"\nDB_CONNECTION="sqlite"\nDB_PASSWORD=\'pa$$\'\n',
  )
  assert.equal(owner.mode(), '600')
  chmodSync(owner.file, 0o644)
  assert.partialDeepStrictEqual(await world.sync(), { changed: true })
  assert.equal(owner.mode(), '600')
  assert.partialDeepStrictEqual(await world.sync(), { changed: false })
})

test('a testing file that Git tracks stays as it is, and the Activity names the test database [ENV-055]', async () => {
  await using owner = await owning({ directory: 'app' })
  const { world } = owner
  await world.update('A', '1')
  owner.put('DB_DATABASE=theirs\n', 0o644)
  git(owner.checkout, 'add', '-f', 'app/.env.testing')
  await world.sync()
  assert.equal(owner.text(), 'DB_DATABASE=theirs\n')
  assert.equal(owner.mode(), '644')
  assert.equal(testing(world), 'shop_feature_test')
  assert.equal(world.fileText(), 'A="1"\n')
  // Deleted or a link by hand: it is still the Project's.
  rmSync(owner.file)
  await world.sync()
  assert.equal(existsSync(owner.file), false)
  symlinkSync('/etc/hostname', owner.file)
  assert.partialDeepStrictEqual(await world.sync(), { changed: false })
})

const BROKEN = {
  'has no repository': (checkout) => rmSync(join(checkout, '.git'), { recursive: true }),
  'has a broken repository': (checkout) => writeFileSync(join(checkout, '.git', 'index'), 'broken'),
} satisfies Record<string, (checkout: string) => void>

for (const [name, breakIt] of Object.entries(BROKEN))
  test(`nothing is written while the checkout ${name}, even below another repository [ENV-056]`, async () => {
    await using owner = await owning()
    const { world } = owner
    git(dirname(owner.checkout), 'init', '-q')
    await world.update('A', '1')
    owner.put('DB_DATABASE=theirs\n', 0o644)
    breakIt(owner.checkout)
    await assert.rejects(world.sync(), { code: 'env.testing_tracking_unknown', status: 409 })
    assert.equal(owner.text(), 'DB_DATABASE=theirs\n')
    assert.equal(existsSync(join(world.directory, '.env')), false)
  })

test('an unsafe or unreadable testing file is refused before anything is written [ENV-052]', async () => {
  for (const [prepare, details] of [
    [({ file }: { file: string }) => symlinkSync('/etc/hostname', file), { reason: 'link' }],
    [({ file }: { file: string }) => mkdirSync(file), { reason: 'directory' }],
    [
      ({ file }: { file: string }) => writeFileSync(file, 'A=1\n<<<<<<< canary\n'),
      { reason: 'syntax', rule: 'line_syntax', line: 2, user: userInfo().username },
    ],
  ] as const) {
    await using owner = await owning()
    await owner.world.update('A', '1')
    prepare(owner)
    await assert.rejects(owner.world.sync(), (error: Error & { code: string; details: object }) => {
      assert.equal(error.code, 'env.source_unsafe')
      assert.match(error.message, /\.env\.testing/)
      assert.partialDeepStrictEqual(error.details, { ...details, path: owner.file })
      return true
    })
    assert.equal(existsSync(join(owner.world.directory, '.env')), false)
  }
})

test('in production the file is beside .env, and no Git is asked', async () => {
  await using owner = await owning({ roles: ['app-prod'] })
  const { world } = owner
  rmSync(join(owner.checkout, '.git'), { recursive: true })
  await world.store.db
    .updateTable('instances')
    .set({ production_user: world.node.user, production_home: world.instance.checkout_path })
    .execute()
  await world.update('A', '1')
  await world.sync()
  assert.match(owner.text(), /^A="1"\nAPP_ENV="testing"\n/)
})

test('a write of the testing file that is cut off is unconfirmed, leaves a complete file, and its repeat finishes [ENV-051, ENV-052]', async () => {
  for (const fault of ['failBefore', 'loseReplyOf'] as const) {
    await using owner = await owning()
    const { world } = owner
    await world.update('GREETING', 'hello')
    owner.put('A=1\n')
    world.pool[fault]((shown) => shown.includes('.env.testing') && shown.includes('write'), 'connection_lost')
    await assert.rejects(world.sync(), {
      code: fault === 'failBefore' ? 'node.connection_lost' : 'env.sync_unconfirmed',
    })
    const done = 'A=1\nDB_CONNECTION="sqlite"\nDB_DATABASE="shop_feature_test"\nDB_PASSWORD=\'pa$$\'\n'
    assert.equal(owner.text(), fault === 'failBefore' ? 'A=1\n' : done)
    world.pool.clearFaults()
    await world.sync()
    assert.equal(owner.text(), done)
    assert.deepEqual(world.entries(), ['.env', '.env.testing', '.git'])
  }
})

test('a testing file of an Instance that owns its database no more is left as it is [ENV-057]', async () => {
  let owned: TestDatabase | undefined = database
  await using owner = await owning({ testDatabase: () => owned })
  const { world } = owner
  await world.update('GREETING', 'hello')
  await world.sync()
  const before = owner.text()
  owned = undefined
  await world.update('GREETING', 'new')
  assert.partialDeepStrictEqual(await world.sync(), { changed: true })
  assert.equal(owner.text(), before)
})

test('the password of the test database is read after the Node is checked, and shows nowhere', async () => {
  let read = 0
  const counted = { ...database, keys: () => (read++, database.keys()) }
  await using owner = await owning({ testDatabase: () => counted })
  const { world } = owner
  await world.update('A', '1')
  symlinkSync('/etc/hostname', owner.file)
  await assert.rejects(world.sync(), { code: 'env.source_unsafe' })
  assert.equal(read, 0)
  rmSync(owner.file)
  await world.sync()
  assert.equal(read, 1)
  for (const shown of [...world.pool.commands, ...world.lines]) assert.ok(!shown.includes('pa$$'))
})
