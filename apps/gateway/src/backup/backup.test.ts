import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { Secret } from '@fleet/kernel'
import { run } from '@fleet/shell'
import { type DialectName, dumpRecords } from '@fleet/store'
import { addGatewayNode, FakeClock, forEachDialect, makeTestDatabase } from '@fleet/testing'
import { assemble } from '#/assemble.ts'
import { must } from '#/console/programs.ts'
import { Report } from '#/console/report.ts'
import { readEnv } from '#/env.ts'
import { optionsOf } from '#/options.ts'
import { type BackupSource, writeBackup } from './backup.ts'
import { readBackup } from './contents.ts'
import { requireReadable } from './restore.ts'
import { requireRoom, restoreDump } from './room.ts'
import { isSealed, openFile } from './sealed-file.ts'

const SECRET_FILES = [
  'etc/wireguard/fleet.key',
  'etc/wireguard/fleet.conf',
  'etc/ssh/ssh_host_ed25519_key',
  'etc/ssh/ssh_host_ed25519_key.pub',
  'etc/fleet/gateway.env',
]

const folderOf = (context: TestContext): string => {
  const made = mkdtempSync(join(tmpdir(), 'fleet-saved-'))
  context.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const report = (lines: string[] = []): Report =>
  new Report(new FakeClock(), (line) => void lines.push(line.trimEnd()))

/** A gateway in use, on a machine of a few files, and a folder for its backups. */
async function startGateway(context: TestContext, dialect: DialectName = 'sqlite') {
  const place = folderOf(context)
  const [home, root] = [join(place, 'home'), join(place, 'root')]
  const [out, workshop] = [join(place, 'out'), join(place, 'workshop')]
  for (const path of [...SECRET_FILES, 'etc/wireguard/other.conf', 'etc/shadow']) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), `content of ${path}`)
  }
  mkdirSync(out)
  mkdirSync(workshop)
  const database = dialect === 'sqlite' ? undefined : await makeTestDatabase(dialect, 'empty')
  const url = database && 'url' in database.location ? database.location.url : undefined
  const settings = { FLEET_HOME: home, ...(url === undefined ? {} : { FLEET_DATABASE_URL: url }) }
  const options = optionsOf(readEnv(settings), 'v1', undefined)
  const assembled = await assemble({ ...options, listen: [], log: 'silent' })
  const { store, databases, ssh, closing } = assembled
  const close = async (): Promise<void> => {
    closing.abort()
    await databases[Symbol.asyncDispose]()
    await ssh[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  }
  const held: string[] = []
  const source: BackupSource = {
    version: 'v1',
    records: { home, url },
    root,
    workshop,
    takeConsole: () => {
      held.push('taken')
      return { [Symbol.dispose]: () => void held.push('given back') }
    },
    inSession: (work) => work({ ...assembled, [Symbol.asyncDispose]: close }),
  }
  const node = await addGatewayNode(store, {
    wireguard_ip: '10.44.0.1',
    public_ssh_host: '192.0.2.1',
    public_ssh_port: 2222,
  })
  return { home, out, workshop, source, store, node, held, [Symbol.asyncDispose]: close }
}

/** What `tar` finds in a backup, and what the backup says of itself. */
async function unpack(context: TestContext, archive: string) {
  const folder = folderOf(context)
  await must(run('tar', '-xzf', archive, '-C', folder))
  return { folder, about: await readBackup(folder) }
}

test('a backup holds what cannot be made again and nothing else, with the records as they are in use', async (context) => {
  await using gateway = await startGateway(context)
  const { home, out, source, node, store } = gateway
  const target = join(out, 'fleet.backup')
  for (const left of ['home/ca/root.key~', 'home/ssh/#id#', 'root/etc/ssh/ssh_host_a b_key'])
    writeFileSync(join(home, '..', left), 'of an editor')
  await writeBackup(target, undefined, report(), source)
  const { folder, about } = await unpack(context, target)
  assert.deepEqual(
    about.files.map(({ path }) => path),
    [
      'home/app.key',
      'home/ca/root.crt',
      'home/ca/root.key',
      'home/gateway.id',
      'home/gateway.sqlite',
      'home/ssh/id_ed25519',
      ...SECRET_FILES.map((path) => `machine/${path}`),
    ].toSorted(),
  )
  assert.deepEqual(readdirSync(folder).toSorted(), ['backup.json', 'home', 'machine'])
  assert.equal(
    readFileSync(join(folder, 'machine/etc/wireguard/fleet.key'), 'utf8'),
    'content of etc/wireguard/fleet.key',
  )
  assert.deepEqual(
    { ...about, created_at: '', files: [] },
    {
      product: 'fleet',
      format: 1,
      version: 'v1',
      created_at: '',
      gateway_id: readFileSync(join(home, 'gateway.id'), 'utf8').trim(),
      node: {
        name: 'gateway',
        public_ssh_host: '192.0.2.1',
        public_ssh_port: 2222,
        wireguard_ip: '10.44.0.1',
      },
      files: [],
    },
  )
  using records = new DatabaseSync(join(folder, 'home/gateway.sqlite'), { readOnly: true })
  assert.deepEqual(
    { ...records.prepare('select id, name from nodes').get() },
    { id: node.id, name: 'gateway' },
  )
  const activities = await store.db.selectFrom('activities').selectAll().execute()
  assert.partialDeepStrictEqual(activities, [
    { command: 'gateway:backup', status: 'succeeded', caller_node_id: node.id, target_node_id: node.id },
  ])
  assert.equal(activities.length, 1)
})

for (const missing of ['ca/root.crt', 'ca/root.key', 'ssh/id_ed25519', 'gateway.id'])
  test(`no backup is written without ${missing}, and an earlier one stays`, async (context) => {
    await using gateway = await startGateway(context)
    const { home, out, workshop, source } = gateway
    const target = join(out, 'fleet.backup')
    writeFileSync(target, 'an earlier backup')
    rmSync(join(home, missing))
    await assert.rejects(writeBackup(target, undefined, report(), source), {
      name: 'Refusal',
      message: `${join(home, missing)} is missing, so a backup of this gateway could not be restored.`,
      next: `Put home/${missing} of an earlier backup there.`,
    })
    assert.equal(readFileSync(target, 'utf8'), 'an earlier backup')
    assert.deepEqual([readdirSync(out), readdirSync(workshop)], [['fleet.backup'], []])
  })

test('a backup whose records have a migration that this version does not know is refused before it is restored, with both versions', async (context) => {
  await using gateway = await startGateway(context)
  const { home, out, source } = gateway
  const target = join(out, 'fleet.backup')
  await writeBackup(target, undefined, report(), source)
  await requireReadable(await unpack(context, target), 'v1')
  {
    using records = new DatabaseSync(join(home, 'gateway.sqlite'))
    records.exec("insert into kysely_migration (name, timestamp) values ('9999-later', '2026-01-02')")
  }
  await writeBackup(target, undefined, report(), { ...source, version: 'v2' })
  await assert.rejects(requireReadable(await unpack(context, target), 'v1'), {
    message: 'The backup was made by version v2, and version v1 cannot read its records.',
    next: 'Restore it with the release of version v2 or a newer one: ./install --restore FILE',
  })
})

test('a backup is for root alone, replaces an earlier one, and leaves nothing beside it or in the home', async (context) => {
  await using gateway = await startGateway(context)
  const { home, out, workshop, source, held } = gateway
  const target = join(out, 'fleet.backup')
  writeFileSync(target, 'an earlier backup', { mode: 0o644 })
  for (const place of [out, workshop]) {
    const left = join(place, '.fleet-backup-killed')
    mkdirSync(left)
    writeFileSync(join(left, 'archive'), 'keys')
  }
  writeFileSync(join(out, '.fleet-backup-killed.whole'), 'keys')
  const before = readdirSync(home).toSorted()
  const lines: string[] = []
  await writeBackup(target, undefined, report(lines), source)
  assert.deepEqual(lines.slice(-2), [
    `${target} contains a backup of this gateway.`,
    'It is not encrypted: whoever can read it controls the fleet. Keep it private, or use --passphrase-file.',
  ])
  assert.deepEqual([readdirSync(out), readdirSync(workshop)], [['fleet.backup'], []])
  assert.equal(statSync(target).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(home).toSorted(), before)
  assert.deepEqual(held, ['taken', 'given back'])
  await unpack(context, target)
})

test('with a passphrase the file is sealed', async (context) => {
  await using gateway = await startGateway(context)
  const { out, source } = gateway
  const target = join(out, 'fleet.backup')
  const passphrase = new Secret('right')
  const lines: string[] = []
  await writeBackup(target, passphrase, report(lines), source)
  assert.equal(lines.at(-1), `${target} contains a backup of this gateway.`)
  assert.deepEqual([await isSealed(target), statSync(target).mode & 0o777], [true, 0o600])
  const opened = join(folderOf(context), 'archive')
  await openFile(target, opened, passphrase)
  const { about } = await unpack(context, opened)
  assert.equal(about.version, 'v1')
  assert.deepEqual(readdirSync(out), ['fleet.backup'])
})

test('what is not sealed yet is nowhere but in a folder of root on the machine, and a signal takes it away', async (context) => {
  await using gateway = await startGateway(context)
  const { out, workshop, source } = gateway
  const seen: unknown[] = []
  const before = process.listenerCount('SIGHUP')
  const undone = Promise.withResolvers<void>()
  context.mock.method(process, 'exit', (status: number) => {
    seen.push(status)
    undone.resolve()
  })
  const inSession: BackupSource['inSession'] = async (work) => {
    const [name = ''] = readdirSync(workshop)
    seen.push(readdirSync(out), statSync(join(workshop, name)).mode & 0o777)
    process.emit('SIGHUP')
    await undone.promise
    seen.push(readdirSync(workshop))
    return source.inSession(work)
  }
  const target = join(out, 'fleet.backup')
  await assert.rejects(writeBackup(target, new Secret('right'), report(), { ...source, inSession }))
  assert.deepEqual(seen, [[], 0o700, 129, []])
  assert.deepEqual([readdirSync(out), process.listenerCount('SIGHUP')], [[], before])
})

test('a backup that fails leaves the earlier one and nothing of its own, and a full disk is told in one sentence', async (context) => {
  await using gateway = await startGateway(context)
  const { home, out, source } = gateway
  const target = join(out, 'fleet.backup')
  const attempt = (how: Partial<BackupSource>, at = target): Promise<void> =>
    writeBackup(at, undefined, report(), { ...source, ...how })
  writeFileSync(target, 'an earlier backup')
  const before = readdirSync(home).toSorted()
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  await assert.rejects(attempt({ inSession: () => Promise.reject(full) }), {
    name: 'Refusal',
    message: /^The backup was not written, and nothing of it is left: the disk of \S+ is full/,
  })
  await assert.rejects(attempt({ inSession: () => Promise.reject(new Error('a defect')) }), {
    message: 'a defect',
  })
  await gateway.store.db.updateTable('nodes').set({ status: 'failed' }).execute()
  await assert.rejects(attempt({}), {
    name: 'Refusal',
    message: 'This gateway does not have its own active Node yet.',
    next: 'fleet-gateway install',
  })
  assert.deepEqual(readdirSync(out), ['fleet.backup'])
  assert.equal(readFileSync(target, 'utf8'), 'an earlier backup')
  assert.deepEqual(readdirSync(home).toSorted(), before)
  await assert.rejects(attempt({}, join(out, 'nowhere/file')), { message: `${out}/nowhere does not exist.` })
  await assert.rejects(attempt({}, out), { message: `${out} is not a file.` })
  assert.equal(existsSync(join(out, 'nowhere')), false)
})

forEachDialect(
  'the records of a gateway on PostgreSQL are in its backup as lines that another database takes',
  ['postgres'],
  async (dialect, context) => {
    await using gateway = await startGateway(context, dialect)
    const { home, out, source, node } = gateway
    const before = readdirSync(home).toSorted()
    const target = join(out, 'fleet.backup')
    await writeBackup(target, undefined, report(), source)
    assert.deepEqual(readdirSync(home).toSorted(), before)
    const { folder, about } = await unpack(context, target)
    const paths = about.files.map(({ path }) => path)
    assert.deepEqual(
      [paths.includes('home/gateway.records'), paths.includes('home/gateway.sqlite')],
      [true, false],
    )
    await using other = await makeTestDatabase(dialect, 'empty')
    assert.ok('url' in other.location)
    const { url } = other.location
    const restoration = await restorationIn(context, target, { url, id: 'first' })
    for (const _again of [1, 2]) {
      await requireRoom(restoration)
      await restoreDump(restoration)
    }
    const records = readFileSync(join(folder, 'home/gateway.records'), 'utf8').trimEnd().split('\n')
    const lines = await Array.fromAsync(dumpRecords(url))
    assert.deepEqual(
      lines.filter((line) => line.startsWith(`[${node.id},"gateway"`)),
      records.filter((line) => line.startsWith(`[${node.id},"gateway"`)),
    )
    assert.equal(lines.filter((line) => line.includes(`"${node.wireguard_ip}"`)).length > 0, true)
    const again = { ...restoration, id: 'second' }
    await assert.rejects(requireRoom(again), { name: 'Refusal' })
    await assert.rejects(restoreDump(again), { name: 'Refusal' })
  },
)

const LATER = { name: '9999-later', timestamp: '' } as never // A row of a table that is none of the records.

/** A backup that is unpacked to be restored into a database. */
async function restorationIn(
  context: TestContext,
  archive: string,
  how: { readonly url: string; readonly id: string; readonly keepRecords?: boolean },
) {
  const { folder } = await unpack(context, archive)
  writeFileSync(join(folder, 'machine/etc/fleet/gateway.env'), `FLEET_DATABASE_URL=${how.url}\n`)
  return { folder, id: how.id, keepRecords: how.keepRecords ?? false }
}

forEachDialect(
  'records that a database still has are not replaced by those of a backup, and may be kept with everything else of it',
  ['postgres'],
  async (dialect, context) => {
    await using gateway = await startGateway(context, dialect)
    await using stranger = await startGateway(context, dialect)
    const target = join(gateway.out, 'fleet.backup')
    await writeBackup(target, undefined, report(), gateway.source)
    const own = gateway.source.records.url ?? assert.fail()
    const before = await Array.fromAsync(dumpRecords(own))
    const drill = await restorationIn(context, target, { url: own, id: 'drill' })
    await assert.rejects(requireRoom(drill), {
      message:
        'The database at FLEET_DATABASE_URL already contains the records of this gateway, which may be newer than the backup.',
      next: 'To keep them and restore everything else, add --keep-records. To restore those of the backup: Write FLEET_DATABASE_URL of an empty database into /etc/fleet/gateway.env, then run the same command again.',
    })
    const keeping = { ...drill, keepRecords: true }
    await requireRoom(keeping)
    await restoreDump(keeping)
    assert.deepEqual(await Array.fromAsync(dumpRecords(own)), before)
    const url = stranger.source.records.url ?? assert.fail()
    for (const keepRecords of [false, true])
      await assert.rejects(requireRoom(await restorationIn(context, target, { url, id: 'x', keepRecords })), {
        message: 'The database at FLEET_DATABASE_URL contains the records of another gateway.',
      })
    await using blank = await makeTestDatabase(dialect, 'empty')
    assert.ok('url' in blank.location)
    const nothing = { url: blank.location.url, id: 'x', keepRecords: true }
    await assert.rejects(requireRoom(await restorationIn(context, target, nothing)), {
      message: 'The database at FLEET_DATABASE_URL contains no records that could be kept.',
    })
    const ofMigrator = 'kysely_migration' as 'facts' // The table of that row.
    await gateway.store.db.insertInto(ofMigrator).values(LATER).execute()
    await assert.rejects(requireRoom(keeping), {
      message: 'The records in the database at FLEET_DATABASE_URL are of a newer version than this release.',
    })
  },
)

test('a backup with its records in a file needs no database, and has none to keep', async (context) => {
  await using gateway = await startGateway(context)
  const target = join(gateway.out, 'fleet.backup')
  await writeBackup(target, undefined, report(), gateway.source)
  const { folder } = await unpack(context, target)
  const restoration = { folder, id: 'x', keepRecords: false }
  await requireRoom(restoration)
  await restoreDump(restoration)
  await assert.rejects(requireRoom({ ...restoration, keepRecords: true }), {
    message: 'The backup is of a gateway without a PostgreSQL database, so there is none to keep.',
  })
})
