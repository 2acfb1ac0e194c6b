import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dependencyInventory, errorRegistry } from '@fleet/contract'
import { Deadline, systemClock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { addInstance, fakeCall, fakeLock, forEachDialect, refusalOf, testDomains } from '@fleet/testing'
import {
  COMPOSER,
  domainOver,
  MANIFEST,
  NPM,
  putFiles,
  startWorld,
  summary,
} from '#/dependencies/world.test.ts'
import { lockOf } from '#/locks/api.ts'

const UNKNOWN = 'unknown null - - none'
const ABSENT = 'current true - - absent'
const hex = /^[\da-f]{64}$/

forEachDialect(
  'a scan reads both ecosystems in one round trip and stores what show answers without the Node [DEP-008, DEP-018, DEP-019, DEP-020, DEP-028, DEP-032, DEP-033, DEX-001, DEX-002, DEX-004, DEX-005]',
  async (dialect) => {
    await using world = await startWorld({ dialect })
    assert.deepEqual(summary(await world.show()), [UNKNOWN, UNKNOWN])
    assert.equal((await world.show()).succeeded, null)
    world.put({ ...NPM, ...COMPOSER })
    const scanned = await world.scan()
    assert.equal(world.pool.commands.length, 1)
    world.pool.failBefore(() => true)
    assert.deepEqual(await world.show(), scanned)
    dependencyInventory.parse(scanned)
    assert.deepEqual(summary(scanned), ['current true - - 1', 'current true - - 3'])
    const { snapshot } = scanned.javascript
    assert.deepEqual(snapshot?.graph, {
      resolutions: [
        resolution('left', '1.2.0', true, false, 'sha512-left'),
        resolution('pad', '1.0.5', true, false),
        resolution('tap', '2.0.0', true, true),
      ],
      requirements: [
        requirement(null, 'left', '^1.0.0'),
        requirement(null, 'tap', '^2.0.0', { scope: 'development' }),
        requirement('left', 'pad', '1.x'),
        requirement('left', 'tap', '*', { kind: 'peer' }),
      ],
    })
    const { file_hashes, ...source } = snapshot?.source ?? assert.fail()
    assert.deepEqual(source, { project_root: world.root, reference: 'main', format: 'npm-3' })
    assert.deepEqual(Object.keys(file_hashes), ['package.json', 'package-lock.json'])
    for (const hash of Object.values(file_hashes)) assert.match(hash, hex)
    assert.equal(scanned.composer.snapshot?.graph?.resolutions[0]?.reference, 'abc')
  },
)

const at = (name: string | null): string | null => (name === null ? null : `node_modules/${name}`)

const resolution = (
  name: string,
  version: string,
  regular: boolean,
  development: boolean,
  integrity: string | null = null,
) => ({ id: at(name), ecosystem: 'npm', name, version, reference: null, integrity, regular, development })

const requirement = (source: string | null, name: string, constraint: string, more = {}) => ({
  source: at(source),
  target: at(name),
  name,
  constraint,
  kind: 'dependency',
  scope: 'regular',
  optional: false,
  ...more,
})

forEachDialect(
  'a failed scan keeps the last observation, marks it stale and shows why; the other ecosystem succeeds [DEP-022, DEP-023, DEP-024, DEP-030, DEP-031, DEP-037, DEX-003, DEX-034]',
  async (dialect) => {
    await using world = await startWorld({ dialect })
    world.put(NPM)
    const before = await world.scan()
    assert.deepEqual(summary(before), [ABSENT, 'current true - - 3'])
    world.put({ ...COMPOSER, 'package.json': '{"secret": "canary", "secret": 1}' })
    const scanned = await world.scan()
    assert.deepEqual(summary(scanned), [
      'current true - - 1',
      'stale false dependencies.invalid_manifest package.json has a key twice in one object 3',
    ])
    assert.equal(scanned.succeeded, false)
    assert.deepEqual(scanned.javascript.snapshot, before.javascript.snapshot)
    assert.deepEqual(await world.show(), scanned)
    assert.equal(JSON.stringify(scanned).includes('canary'), false)
    world.put(NPM)
    assert.deepEqual(summary(await world.scan()), ['current true - - 1', 'current true - - 3'])
  },
)

test('each ecosystem is unknown until a scan of it succeeds, and absent without manifest and lock [DEP-027, DEP-029]', async () => {
  await using world = await startWorld()
  world.put({ 'composer.json': '{}' })
  const { composer, javascript } = await world.scan()
  assert.deepEqual(composer, {
    ecosystem: 'composer',
    state: 'unknown',
    succeeded: false,
    attempted_at: composer.attempted_at,
    error_code: 'dependencies.incomplete_source',
    error_detail: 'composer.lock is missing',
    snapshot: null,
  })
  assert.deepEqual(
    [javascript.state, javascript.succeeded, javascript.snapshot?.graph, javascript.snapshot?.source],
    ['current', true, null, { project_root: world.root, reference: 'main', file_hashes: {}, format: null }],
  )
})

test('a lock that goes away, and packages that go away, replace what was observed [DEP-028]', async () => {
  await using world = await startWorld()
  world.put(NPM)
  await world.scan()
  world.put({ 'package.json': '{}', 'package-lock.json': { lockfileVersion: 3, packages: { '': {} } } })
  assert.deepEqual((await world.scan()).javascript.snapshot?.graph, { resolutions: [], requirements: [] })
  for (const name of ['package.json', 'package-lock.json']) rmSync(join(world.root, name))
  assert.equal((await world.scan()).javascript.snapshot?.graph, null)
})

const framework = { application_directory: 'apps/site', framework: 'laravel', php: true } as const

test('a framework Instance is read in its application directory alone, any other at the root [DEP-003, DEP-004, DEP-006, DEP-007]', async () => {
  await using world = await startWorld({ instance: { profile: framework } })
  world.put(NPM)
  world.put(COMPOSER, 'apps/site')
  const scanned = await world.scan()
  assert.deepEqual(summary(scanned), ['current true - - 1', ABSENT])
  assert.equal(scanned.composer.snapshot?.source.project_root, join(world.root, 'apps/site'))
  await using plain = await startWorld({ instance: { profile: { ...framework, framework: null } } })
  plain.put(NPM)
  plain.put(COMPOSER, 'apps/site')
  const other = await plain.scan()
  assert.deepEqual(summary(other), [ABSENT, 'current true - - 3'])
  assert.equal(other.javascript.snapshot?.source.project_root, plain.root)
})

test('a production Instance is read in its selected release, and has no source without one [DEP-005, DEP-053]', async () => {
  const profile = framework
  await using world = await startWorld({ instance: { environment: 'production', profile } })
  assert.deepEqual(
    summary(await world.scan()),
    Array(2).fill(
      'unknown false dependencies.source_unavailable The production Instance has no selected release. none',
    ),
  )
  assert.deepEqual(world.pool.commands, [])
  const { store, pool, instance, home, node } = world
  const values = { production_user: node.user, production_home: home }
  await store.db.updateTable('instances').set(values).where('id', '=', instance.id).execute()
  const directory = join(home, 'releases', 'r7', 'apps/site')
  putFiles(directory, NPM)
  const scan = domainOver(store, pool, 'r7').handlers['instance:dependencies:scan']
  const { data } = await scan({ call: fakeCall(), input: { instance: instance.id } })
  const source = data.javascript.snapshot?.source
  assert.deepEqual([source?.project_root, source?.reference], [directory, 'r7'])
})

test('two Instances of one Project have inventories of their own, and share the packages [DEP-002, DEX-034]', async () => {
  await using world = await startWorld()
  world.put(NPM)
  const { store, instance, home, domain } = world
  const checkout_path = join(home, 'apps', 'shop', 'other')
  putFiles(checkout_path, {
    ...NPM,
    'package-lock.json': JSON.stringify(NPM['package-lock.json']).replace('1.0.5', '1.0.9'),
  })
  const { project_id, node_id } = instance
  const other = await addInstance(store, { project_id, node_id, checkout_path })
  await world.scan()
  await domain.handlers['instance:dependencies:scan']({ call: fakeCall(), input: { instance: other.id } })
  const versions = async (id: number) => {
    const show = domain.handlers['instance:dependencies:show']
    const { data } = await show({ call: fakeCall(), input: { instance: id } })
    return data.javascript.snapshot?.graph?.resolutions.map(({ version }) => version)
  }
  assert.deepEqual(await versions(instance.id), ['1.2.0', '1.0.5', '2.0.0'])
  assert.deepEqual(await versions(other.id), ['1.2.0', '1.0.9', '2.0.0'])
  const packages = await store.db.selectFrom('dependency_packages').select('version').execute()
  assert.deepEqual(packages.map(({ version }) => version).toSorted(), ['1.0.5', '1.0.9', '1.2.0', '2.0.0'])
})

forEachDialect('removing an Instance removes its inventory [DEP-025]', async (dialect) => {
  await using world = await startWorld({ dialect })
  world.put(NPM)
  await world.scan()
  const { db } = world.store
  const counts = async () =>
    Promise.all(
      (['dependency_observations', 'dependency_resolutions', 'dependency_attempts'] as const).map(
        async (table) => (await db.selectFrom(table).selectAll().execute()).length,
      ),
    )
  assert.deepEqual(await counts(), [2, 3, 2])
  await db.deleteFrom('instances').where('id', '=', world.instance.id).execute()
  assert.deepEqual(await counts(), [0, 0, 0])
})

test('an unchanged graph keeps its rows: only the time of the observation is new', async () => {
  await using world = await startWorld()
  world.put(NPM)
  await world.scan()
  const rows = () =>
    world.store.db.selectFrom('dependency_observations').select(['id', 'observed_at']).execute()
  const before = await rows()
  await world.scan()
  const ids = (all: Awaited<ReturnType<typeof rows>>) => all.map(({ id }) => id).toSorted((a, b) => a - b)
  // The ecosystem that is absent and the one that is the same: no new row of either.
  assert.deepEqual(ids(await rows()), ids(before))
})

test('files that are no plain files of their owner fail their ecosystem, and nothing of them is read [DEX-032]', async () => {
  await using world = await startWorld()
  world.put({ ...NPM, ...COMPOSER })
  const lock = join(world.root, 'package-lock.json')
  renameSync(lock, `${lock}.real`)
  symlinkSync(`${lock}.real`, lock)
  const failure = async () => summary(await world.scan())[1]
  const unavailable = 'unknown false dependencies.source_unavailable package-lock.json'
  assert.equal(await failure(), `${unavailable} is a symbolic link none`)
  rmSync(lock)
  mkdirSync(lock)
  assert.equal(await failure(), `${unavailable} is not a regular file none`)
  rmSync(lock, { recursive: true })
  symlinkSync('/dev/zero', lock)
  assert.equal(await failure(), `${unavailable} is a symbolic link none`)
  assert.equal(summary(await world.scan())[0], 'current true - - 1')
  rmSync(lock)
  // Whoever opened it for reading would wait for ever.
  execFileSync('mkfifo', [lock])
  assert.equal(await failure(), `${unavailable} is not a regular file none`)
  if (process.getuid?.() === 0) {
    rmSync(lock)
    execFileSync('mknod', [lock, 'c', '1', '5'])
    assert.equal(await failure(), `${unavailable} is not a regular file none`)
    rmSync(lock)
    renameSync(`${lock}.real`, lock)
    chownSync(lock, 65_534, 65_534)
    assert.equal(await failure(), `${unavailable} belongs to another user none`)
    return
  }
  rmSync(lock)
  renameSync(`${lock}.real`, lock)
  chmodSync(lock, 0)
  assert.equal(await failure(), `${unavailable} cannot be read by its owner none`)
})

test('a directory that is reached through a link, or does not exist, fails both ecosystems [DEX-032]', async () => {
  await using world = await startWorld()
  world.put(NPM)
  const apps = join(world.home, 'apps')
  renameSync(apps, `${apps}-real`)
  const unavailable = (detail: string) =>
    Array(2).fill(`unknown false dependencies.source_unavailable ${detail} none`)
  assert.deepEqual(
    summary(await world.scan()),
    unavailable('The application directory does not exist on the Node.'),
  )
  symlinkSync(`${apps}-real`, apps)
  assert.deepEqual(
    summary(await world.scan()),
    unavailable('The path of the application directory contains a symbolic link.'),
  )
})

/** A PATH in which a program first does something else, once. */
function withTrick(world: { readonly home: string }, program: string, trick: string): string {
  const folder = join(world.home, 'bin')
  mkdirSync(folder, { recursive: true })
  const done = join(folder, 'done')
  const text = `#!/bin/sh\nif [ ! -e '${done}' ]; then : >'${done}'; ${trick}; fi\nexec /usr/bin/${program} "$@"\n`
  writeFileSync(join(folder, program), text, { mode: 0o755 })
  return `${folder}:/usr/bin:/bin`
}

const CHANGES: Readonly<Record<string, (root: string) => string>> = {
  'a file that is written': (root) => `echo ' ' >>'${root}/package.json'`,
  'a file that is removed': (root) => `rm '${root}/package.json'`,
  'a file that appears': (root) => `echo '{}' >'${root}/composer.json'`,
  'a file that becomes a link': (root) => `ln -sf /etc/hostname '${root}/package.json'`,
  'a directory that is exchanged': (root) =>
    `cp -R '${root}' '${root}-2'; mv '${root}' '${root}-1'; mv '${root}-2' '${root}'`,
  'a directory that vanishes': (root) => `mv '${root}' '${root}-gone'`,
}

for (const [what, change] of Object.entries(CHANGES))
  test(`${what} during the scan fails both ecosystems, and a retry reads what is there then [DEP-054, DEX-033]`, async () => {
    const env: Record<string, string> = {}
    await using world = await startWorld({ env })
    world.put(NPM)
    await world.scan()
    // `base64` runs between the first look at a file and the second.
    env['PATH'] = withTrick(world, 'base64', change(world.root))
    const changed = summary(await world.scan())
    assert.match(changed[0] ?? '', /^stale false dependencies\.source_changed .* absent$/)
    assert.match(changed[1] ?? '', /^stale false dependencies\.source_changed .* 3$/)
    assert.equal((await world.scan()).javascript.error_code === 'dependencies.source_changed', false)
  })

test('a file over its limit is not read, and fails only where it is needed [DEX-029]', async () => {
  await using world = await startWorld()
  world.put({ ...NPM, 'bun.lock': 'x'.repeat(8 * 1024 * 1024 + 1) })
  const declared = { ...MANIFEST, packageManager: 'npm@11.0.0' }
  world.put({ 'package.json': declared })
  assert.equal(summary(await world.scan())[1], 'current true - - 3')
  world.put({ 'package.json': `${JSON.stringify(declared)}${' '.repeat(1024 * 1024)}` })
  assert.equal(
    summary(await world.scan())[1],
    'stale false dependencies.invalid_manifest package.json is larger than its limit 3',
  )
})

test('a scan runs no program of a package manager and writes nothing [DEP-021]', async () => {
  const env: Record<string, string> = {}
  await using world = await startWorld({ env })
  world.put({ ...NPM, ...COMPOSER })
  const bin = join(world.home, 'bin')
  const seen = join(world.home, 'ran')
  for (const name of ['npm', 'npx', 'node', 'pnpm', 'bun', 'composer', 'php', 'vp', 'git', 'curl'])
    putFiles(bin, { [name]: `#!/bin/sh\necho ${name} >>'${seen}'\n` })
  for (const name of ['npm', 'npx', 'node', 'pnpm', 'bun', 'composer', 'php', 'vp', 'git', 'curl'])
    chmodSync(join(bin, name), 0o755)
  env['PATH'] = `${bin}:/usr/bin:/bin`
  chmodSync(world.root, 0o555)
  assert.deepEqual(summary(await world.scan()), ['current true - - 1', 'current true - - 3'])
  chmodSync(world.root, 0o755)
  assert.throws(() => renameSync(seen, `${seen}-`), { code: 'ENOENT' })
})

test('an Instance that is not active, and a Node that is not, refuse the scan before anything is sent [DEX-015, DEX-026]', async () => {
  await using world = await startWorld({ instance: { status: 'removing' } })
  const { code, details } = await refusalOf(world.scan())
  assert.equal(code, 'dependencies.instance_unavailable')
  assert.equal(errorRegistry[code].status, 409)
  assert.partialDeepStrictEqual(details, { status: 'removing' })
  await using inactive = await startWorld({ node: { status: 'failed' } })
  assert.equal((await refusalOf(inactive.scan())).code, 'node.not_active')
  assert.deepEqual([...world.pool.commands, ...inactive.pool.commands], [])
  assert.equal((await inactive.show()).composer.attempted_at, null)
})

test('a scan shares the operation lock of its Instance [DEP-055, DEP-056]', async () => {
  await using world = await startWorld()
  const { instances } = testDomains({ store: world.store, ssh: world.pool }).instances
  const holder = fakeCall({ operation: 'env:sync' })
  await instances.withOperationLock(holder, world.instance.id, 'env.operation_busy', async () => {
    const waiting = fakeCall({ deadline: new Deadline(systemClock, 20.1, 20) })
    const { code, details } = await refusalOf(world.scan(waiting))
    assert.equal(code, 'dependencies.operation_busy')
    assert.partialDeepStrictEqual(details, { holder: { operation: 'env:sync' } })
  })
  assert.deepEqual(world.pool.commands, [])
  assert.equal((await world.scan()).succeeded, true)
})

test('a Node that does not answer fails the request; the attempt is recorded and the observation kept', async () => {
  await using world = await startWorld()
  world.put(NPM)
  await world.scan()
  world.pool.failBefore(() => true)
  assert.equal((await refusalOf(world.scan())).code, 'node.unreachable')
  assert.equal(
    summary(await world.show())[1],
    'stale false dependencies.source_unavailable The scan on the Node did not complete. 3',
  )
})

test('a scan whose lock was lost stores nothing over what the next holder found [GW-045]', async () => {
  for (const lastCommand of [0, 1]) {
    await using world = await startWorld()
    world.put(NPM)
    await world.scan()
    const before = await world.show()
    const { commands } = world.pool
    const end = commands.length + lastCommand
    const call = fakeCall()
    const hold = lockOf('project', world.instance.project_id)
    using _lost = call.locks.add(
      hold,
      fakeLock(hold, () => commands.length < end),
    )
    assert.equal((await refusalOf(world.scan(call))).code, 'node.lock_lost')
    assert.equal(commands.length, end)
    assert.deepEqual(await world.show(), before)
  }
})

test('a database that does not take an ecosystem fails it alone [DEX-026, DEX-034]', async () => {
  let isBroken = false
  const through = (store: Store): Store => ({
    ...store,
    transaction: (work) =>
      isBroken
        ? store.transaction(async (db) => {
            await work(db)
            throw new Error('disk full')
          })
        : store.transaction(work),
  })
  await using world = await startWorld({ through })
  world.put(NPM)
  await world.scan()
  isBroken = true
  world.put(COMPOSER)
  const expected = 'dependencies.persistence_failed The database did not store the inventory.'
  assert.deepEqual(summary(await world.scan()), [
    `stale false ${expected} absent`,
    `stale false ${expected} 3`,
  ])
  isBroken = false
  assert.deepEqual(summary(await world.show()), [ABSENT, 'current true - - 3'])
})
