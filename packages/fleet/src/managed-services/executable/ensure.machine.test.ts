import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fakeCall, type FakeExecutable, fakeExecutables, localSession, localPool } from '@fleet/testing'
import { ensureExecutable } from '#/managed-services/executable/ensure.ts'

function site(context: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'fleet executable-'))
  context.after(() => rmSync(home, { recursive: true, force: true }))
  const place = { directory: join(home, 'opt/fleet/bin'), link: join(home, 'usr/local/bin/fleet') }
  const pool = localPool({ home })
  const call = fakeCall()
  return {
    ...place,
    pool,
    call,
    file: join(place.directory, 'fleet'),
    ensure: (given?: FakeExecutable, onForeign: 'leave' | 'replace' = 'leave') =>
      ensureExecutable(localSession(pool, { call }), fakeExecutables(given), { place, onForeign }),
  }
}

test('the executable and its link are made on a blank machine, then cost one round trip [NODE-084]', async (context) => {
  const { ensure, pool, file, link, directory } = site(context)
  assert.equal((await ensure()).changed, true)
  assert.equal(pool.executed.length, 2)
  assert.equal(readFileSync(file, 'utf8'), '#!/bin/sh\nexit 0\n')
  assert.equal(statSync(file).mode & 0o777, 0o755)
  assert.equal(readlinkSync(link), file)
  assert.equal((await ensure()).changed, false)
  assert.equal(pool.executed.length, 3)
  assert.deepEqual(readdirSync(directory).toSorted(), ['.lock', '.seal', 'fleet'])
})

test('a link that was taken away comes back [NODE-084]', async (context) => {
  const { ensure, link, file } = site(context)
  await ensure()
  rmSync(link)
  assert.equal((await ensure()).changed, false)
  assert.equal(readlinkSync(link), file)
})

test('another release replaces it, and so does a file that was tampered with', async (context) => {
  const { ensure, file } = site(context)
  await ensure()
  const next = { program: '#!/bin/sh\n# next\nexit 0\n' }
  assert.equal((await ensure(next)).changed, true)
  assert.equal(readFileSync(file, 'utf8'), next.program)
  writeFileSync(file, 'tampered')
  assert.equal((await ensure(next)).changed, true)
  assert.equal(readFileSync(file, 'utf8'), next.program)
})

test('what does not arrive whole leaves the one before it', async (context) => {
  const { ensure, file, directory } = site(context)
  await ensure()
  const wrong = { program: '#!/bin/sh\n# other\nexit 0\n', sha256: '0'.repeat(64) }
  await assert.rejects(ensure(wrong), { code: 'cli.checksum_mismatch' })
  assert.equal(readFileSync(file, 'utf8'), '#!/bin/sh\nexit 0\n')
  assert.deepEqual(readdirSync(directory).toSorted(), ['.lock', 'fleet'])
})

test('a digest is kept only while nothing touched the file, even where its times were set back', async (context) => {
  const { ensure, file, pool } = site(context)
  await ensure()
  const { atime, mtime } = statSync(file)
  writeFileSync(file, '#!/bin/sh\nexit 1\n')
  utimesSync(file, atime, mtime)
  assert.equal((await ensure()).changed, true)
  rmSync(join(file, '../.seal'))
  const before = pool.executed.length
  assert.equal((await ensure()).changed, false)
  assert.equal((await ensure()).changed, false)
  assert.equal(pool.executed.length, before + 3)
})

test('what does not run leaves the one before it', async (context) => {
  const { ensure, file } = site(context)
  await ensure()
  await assert.rejects(ensure({ program: '#!/bin/sh\nexit 3\n' }), { code: 'cli.candidate_invalid' })
  assert.equal(readFileSync(file, 'utf8'), '#!/bin/sh\nexit 0\n')
})

test('an executable for which the disk has no room, with 16 MiB to spare, is not unpacked', async (context) => {
  const { ensure, file, directory } = site(context)
  await ensure()
  const bin = mkdtempSync(join(tmpdir(), 'fleet-df-'))
  context.after(() => rmSync(bin, { recursive: true }))
  const program = `#!/bin/sh\nexit 0\n#${'x'.repeat(3 * 1024 * 1024)}\n`
  const needed = Math.floor((program.length + 16 * 1024 * 1024) / 1024)
  for (const free of [needed - 1, needed]) {
    writeFileSync(
      join(bin, 'df'),
      `#!/bin/sh\n[ "$3" = '${directory}' ] || exit 1\nprintf 'Filesystem Blocks Used Available\\n/dev/x 9 9 %s 1%% /\\n' ${free}\n`,
      { mode: 0o755 },
    )
    const pool = localPool({ home: directory, env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } })
    const place = { directory, link: join(directory, '../../../usr/local/bin/fleet') }
    const upload = ensureExecutable(localSession(pool), fakeExecutables({ program }), {
      place,
      onForeign: 'leave',
    })
    if (free < needed) {
      await assert.rejects(upload, { code: 'cli.disk_full' })
      assert.equal(readFileSync(file, 'utf8'), '#!/bin/sh\nexit 0\n')
    } else assert.equal((await upload).changed, true)
  }
  assert.equal(readFileSync(file, 'utf8'), program)
})

test('an architecture without an executable is refused before anything is written', async (context) => {
  const { ensure, directory } = site(context)
  await assert.rejects(ensure({ architecture: 'riscv64' }), { code: 'cli.architecture_unsupported' })
  assert.equal(existsSync(directory), false)
})

test('a foreign program in the place of the command stays and is noted', async (context) => {
  const { ensure, link, call, file } = site(context)
  mkdirSync(join(link, '..'), { recursive: true })
  writeFileSync(link, 'somebody else’s')
  await ensure()
  assert.equal(readFileSync(link, 'utf8'), 'somebody else’s')
  assert.equal(existsSync(file), true)
  assert.deepEqual(call.notes.properties, { cli: 'cli.foreign_binary' })
})

test('a foreign program is kept beside the command where it is to be replaced', async (context) => {
  const { ensure, link, call } = site(context)
  mkdirSync(join(link, '..'), { recursive: true })
  writeFileSync(link, 'somebody else’s')
  assert.equal((await ensure({}, 'replace')).changed, true)
  assert.equal(readFileSync(`${link}.foreign`, 'utf8'), 'somebody else’s')
  assert.equal(readFileSync(link, 'utf8'), '#!/bin/sh\nexit 0\n')
  assert.deepEqual(call.notes.properties, {})
  assert.equal((await ensure({}, 'replace')).changed, false)
  // What was kept before stays.
  rmSync(link)
  writeFileSync(link, 'another')
  await ensure({}, 'replace')
  const kept = [`${link}.foreign`, `${link}.foreign-2`].map((path) => readFileSync(path, 'utf8'))
  assert.deepEqual(kept, ['somebody else’s', 'another'])
})

test('a copy of the same program in the place of the command is none', async (context) => {
  const { ensure, link, call } = site(context)
  mkdirSync(join(link, '..'), { recursive: true })
  writeFileSync(link, '#!/bin/sh\nexit 0\n')
  await ensure()
  assert.deepEqual(call.notes.properties, {})
})

test('a directory that is a link is not followed', async (context) => {
  const { ensure, directory } = site(context)
  mkdirSync(join(directory, '..'), { recursive: true })
  const elsewhere = join(directory, '../elsewhere')
  mkdirSync(elsewhere)
  symlinkSync(elsewhere, directory)
  await assert.rejects(ensure(), { code: 'cli.configuration_failed' })
  assert.deepEqual(readdirSync(elsewhere), [])
})
