import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Secret } from '@fleet/kernel'
import { Answer, type Command } from '@fleet/shell'
import { inputBytes } from '@fleet/testing'
import {
  type FoundFile,
  inspectFile as inspectScript,
  readFile as readScript,
} from '#/environment/commands/inspect-file.ts'
import { writeFile as writeScript } from '#/environment/commands/write-file.ts'
import { commandOf } from '#/nodes/api.ts'

const MEBIBYTE = 1024 * 1024
const isRoot = process.getuid?.() === 0
const NOBODY = { uid: 65534, gid: 65534, name: 'nobody' }

interface Ground {
  readonly root: string
  readonly file: string
  readonly place: {
    readonly user: string
    readonly root: string
    readonly directory: string
    readonly file: '.env'
  }
  readonly entries: () => string[]
}

/** A checkout with an application directory `app` in a folder of its own. */
function ground(t: TestContext, directory = 'app'): Ground {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'fleet-scripts-')))
  t.after(() => fs.rmSync(root, { recursive: true, force: true }))
  const folder = join(root, directory)
  fs.mkdirSync(folder, { recursive: true })
  return {
    root,
    file: join(folder, '.env'),
    place: { user: userInfo().username, root, directory, file: '.env' },
    entries: () => fs.readdirSync(folder).toSorted(),
  }
}

/** Runs a command as sshd would, as another user when given. */
function runHere(command: Command, given: { uid?: number; gid?: number; path?: string } = {}) {
  const { path = '/usr/sbin:/usr/bin:/sbin:/bin', ...identity } = given
  const { status, signal, stdout, stderr } = spawnSync('sh', ['-c', command.line], {
    ...identity,
    cwd: '/',
    env: { PATH: path },
    input: inputBytes(command),
    maxBuffer: 8 * MEBIBYTE,
  })
  return { exitCode: status, signal, stdout, stderr }
}

const readFile = (place: Ground['place']): Command => commandOf(readScript, { place })
const inspectFile = (place: Ground['place'], bytes: number): Command =>
  commandOf(inspectScript, { place, bytes })
const write = (place: Ground['place'], content: string, before?: string): Command =>
  commandOf(writeScript, {
    place,
    attempt: 'a1',
    content,
    before: before === undefined ? undefined : Buffer.from(before),
  })

type Ran = ReturnType<typeof runHere>
type Refused = { readonly kind: 'refused'; readonly reason: string }

function answered<T>({ exitCode, stdout }: Ran, read: (answer: Answer) => T): T | Refused {
  assert.equal(exitCode, 0)
  const answer = new Answer(stdout)
  return answer.has('refused') ? { kind: 'refused', reason: answer.text('refused') } : read(answer)
}
const readInspection = (ran: Ran): FoundFile | Refused =>
  answered(ran, (answer) =>
    inspectScript.read(answer, { place: { user: '', root: '', directory: '', file: '.env' }, bytes: 0 }),
  )
const readWritten = (ran: Ran): { readonly kind: 'written' } | Refused =>
  answered(ran, (answer) => {
    assert.equal(answer.flag('written'), true)
    return { kind: 'written' }
  })

test('reading gives the exact bytes of the file and whether only its owner may use it', (t) => {
  const { file, place } = ground(t)
  const bytes = Buffer.from([0, 0xff, 0x0a, 0x0a, 0x41])
  for (const [mode, isPrivate] of [
    [0o600, true],
    [0o644, false],
    [0o400, false],
  ] as const) {
    fs.rmSync(file, { force: true })
    fs.writeFileSync(file, bytes)
    fs.chmodSync(file, mode)
    assert.deepEqual(readInspection(runHere(readFile(place))), { kind: 'file', isPrivate, content: bytes })
  }
})

test('a missing file is distinguished from an empty one', (t) => {
  const { file, place } = ground(t)
  assert.deepEqual(readInspection(runHere(readFile(place))), { kind: 'missing' })
  fs.writeFileSync(file, '', { mode: 0o600 })
  assert.deepEqual(readInspection(runHere(readFile(place))), {
    kind: 'file',
    isPrivate: true,
    content: Buffer.alloc(0),
  })
})

test('a file of 1 MiB is read and one byte more is refused [ENV-081]', (t) => {
  const { file, place } = ground(t)
  fs.writeFileSync(file, Buffer.alloc(MEBIBYTE, 'a'))
  assert.equal(readInspection(runHere(readFile(place))).kind, 'file')
  fs.appendFileSync(file, 'a')
  assert.deepEqual(readInspection(runHere(readFile(place))), { kind: 'refused', reason: 'too_large' })
})

const UNSAFE: Readonly<Record<string, (ground: Ground) => void>> = {
  link: ({ root, file }) => {
    fs.writeFileSync(join(root, 'elsewhere'), 'A="1"\n')
    fs.symlinkSync(join(root, 'elsewhere'), file)
  },
  directory: ({ file }) => fs.mkdirSync(file),
  not_regular: ({ file }) => void spawnSync('mkfifo', [file]),
  directory_link: ({ root }) => {
    fs.renameSync(join(root, 'app'), join(root, 'real'))
    fs.symlinkSync('real', join(root, 'app'))
  },
  directory_missing: ({ root }) => fs.rmSync(join(root, 'app'), { recursive: true }),
}

for (const [reason, arrange] of Object.entries(UNSAFE)) {
  test(`what stands at the recorded place is refused when it is unsafe: ${reason} [ENV-027]`, (t) => {
    const given = ground(t)
    arrange(given)
    const expected = { kind: 'refused', reason }
    assert.deepEqual(readInspection(runHere(readFile(given.place))), expected)
    assert.deepEqual(readInspection(runHere(inspectFile(given.place, 100))), expected)
  })
}

test('a link on the way to a deeper application directory is refused [ENV-027]', (t) => {
  const { root, place } = ground(t, 'apps/site')
  fs.renameSync(join(root, 'apps'), join(root, 'real'))
  fs.symlinkSync('real', join(root, 'apps'))
  assert.deepEqual(readInspection(runHere(readFile(place))), { kind: 'refused', reason: 'directory_link' })
})

test('a checkout that is a link itself is refused [ENV-027]', (t) => {
  const { root, place } = ground(t)
  fs.symlinkSync('app', join(root, 'linked'))
  const linked = { ...place, root: join(root, 'linked'), directory: '' }
  assert.deepEqual(readInspection(runHere(readFile(linked))), { kind: 'refused', reason: 'directory_link' })
})

test('another user than the recorded one is refused [ENV-027]', (t) => {
  const { place } = ground(t)
  assert.deepEqual(readInspection(runHere(readFile({ ...place, user: 'somebody-else' }))), {
    kind: 'refused',
    reason: 'user_mismatch',
  })
})

test(
  'a file of another owner is neither read nor replaced [ENV-027, ENV-043]',
  { skip: !isRoot && 'needs root' },
  (t) => {
    const { file, place, entries } = ground(t)
    fs.writeFileSync(file, 'A="1"\n')
    fs.chownSync(file, NOBODY.uid, NOBODY.gid)
    assert.deepEqual(readInspection(runHere(readFile(place))), { kind: 'refused', reason: 'foreign_owner' })
    assert.deepEqual(readWritten(runHere(write(place, 'A="2"\n', 'A="1"\n'))), {
      kind: 'refused',
      reason: 'file_changed',
    })
    assert.equal(fs.readFileSync(file, 'utf8'), 'A="1"\n')
    assert.deepEqual(entries(), ['.env'])
  },
)

test(
  'a directory without write permission is refused before anything else [ENV-043]',
  { skip: !isRoot && 'needs root' },
  (t) => {
    const { root, file, place } = ground(t)
    fs.writeFileSync(file, 'A="1"\n', { mode: 0o644 })
    fs.chmodSync(root, 0o755)
    fs.chmodSync(join(root, 'app'), 0o555)
    const asNobody = { ...place, user: NOBODY.name }
    const { uid, gid } = NOBODY
    assert.deepEqual(readInspection(runHere(inspectFile(asNobody, 100), { uid, gid })), {
      kind: 'refused',
      reason: 'directory_not_writable',
    })
  },
)

test(
  'what tries whether a directory takes a file follows no link that was planted for it',
  { skip: !isRoot && 'needs root' },
  (t) => {
    const { root, place } = ground(t)
    const elsewhere = join(root, 'elsewhere')
    fs.mkdirSync(elsewhere)
    fs.symlinkSync(join(elsewhere, 'made'), join(root, 'app/.env.fleet-sync-probe'))
    for (const path of [elsewhere, root]) fs.chmodSync(path, 0o777)
    fs.chmodSync(join(root, 'app'), 0o555)
    const { uid, gid } = NOBODY
    const ran = runHere(inspectFile({ ...place, user: NOBODY.name }, 100), { uid, gid })
    assert.deepEqual(readInspection(ran), { kind: 'refused', reason: 'directory_not_writable' })
    assert.deepEqual(fs.readdirSync(elsewhere), [])
  },
)

test('writing makes a file of mode 0600 by rename and leaves nothing else [ENV-045]', (t) => {
  const { file, place, entries } = ground(t)
  assert.deepEqual(readWritten(runHere(write(place, 'A="1"\n'))), { kind: 'written' })
  const first = fs.statSync(file)
  assert.equal((first.mode & 0o777).toString(8), '600')
  assert.deepEqual(readWritten(runHere(write(place, 'A="2"\n', 'A="1"\n'))), { kind: 'written' })
  assert.notEqual(fs.statSync(file).ino, first.ino)
  assert.equal(fs.readFileSync(file, 'utf8'), 'A="2"\n')
  assert.deepEqual(entries(), ['.env'])
})

test('a file that changed since the check is not replaced', (t) => {
  const { file, place, entries } = ground(t)
  fs.writeFileSync(file, 'B="new"\n')
  for (const before of ['A="1"\n', undefined]) {
    assert.deepEqual(readWritten(runHere(write(place, 'A="2"\n', before))), {
      kind: 'refused',
      reason: 'file_changed',
    })
  }
  assert.equal(fs.readFileSync(file, 'utf8'), 'B="new"\n')
  assert.deepEqual(entries(), ['.env'])
})

test('a link that appears in the place of the file is not written through', (t) => {
  const { root, file, place } = ground(t)
  fs.writeFileSync(join(root, 'elsewhere'), 'A="1"\n')
  fs.symlinkSync(join(root, 'elsewhere'), file)
  assert.deepEqual(readWritten(runHere(write(place, 'A="2"\n', 'A="1"\n'))), {
    kind: 'refused',
    reason: 'file_changed',
  })
  assert.equal(fs.readFileSync(join(root, 'elsewhere'), 'utf8'), 'A="1"\n')
})

test('content that is cut off on its way changes nothing and its candidate is removed [INS-132]', (t) => {
  const { file, place, entries } = ground(t)
  fs.writeFileSync(file, 'A="1"\n')
  const command = write(place, 'A="22222222"\n', 'A="1"\n')
  const whole = command.stdin?.reveal() ?? ''
  for (const length of [0, 30, whole.length - 3]) {
    const ran = runHere({ ...command, stdin: new Secret(whole.slice(0, length)) })
    assert.deepEqual(readWritten(ran), { kind: 'refused', reason: 'content_incomplete' })
  }
  assert.equal(fs.readFileSync(file, 'utf8'), 'A="1"\n')
  assert.deepEqual(entries(), ['.env'])
})

for (const name of [
  '.env.fleet-sync-0123456789abcdef',
  '.env.fleet-0193a5c2-7b1e-7cc0-8d2f-1f0a5f3c9e11',
  '.env.fleet-url',
])
  test(`what a killed attempt left at ${name.slice(0, 16)} is removed by the next check and by the next write [INS-132]`, (t) => {
    const { root, file, place, entries } = ground(t)
    const leave = (): void => fs.writeFileSync(join(root, 'app', name), 'SECRET="x"\n')
    leave()
    assert.equal(readInspection(runHere(inspectFile(place, 100))).kind, 'missing')
    assert.deepEqual(entries(), [])
    leave()
    assert.deepEqual(readWritten(runHere(write(place, 'A="1"\n'))), { kind: 'written' })
    assert.deepEqual(entries(), ['.env'])
    assert.equal(fs.readFileSync(file, 'utf8'), 'A="1"\n')
  })

test('files whose names only begin like those of the fleet are left alone by a check and by a write', (t) => {
  const { root, file, place, entries } = ground(t)
  const theirs = [
    '.env.fleet-0193a5c2',
    '.env.fleet-example',
    '.env.fleet-staging',
    '.env.fleet-sync-0123456789abcdef0',
    '.env.fleet-sync-old',
  ]
  for (const name of theirs) fs.writeFileSync(join(root, 'app', name), 'SECRET="x"\n')
  assert.equal(readInspection(runHere(inspectFile(place, 100))).kind, 'missing')
  assert.deepEqual(readWritten(runHere(write(place, 'A="1"\n'))), { kind: 'written' })
  assert.deepEqual([...entries()].toSorted(), ['.env', ...theirs])
  assert.equal(fs.readFileSync(file, 'utf8'), 'A="1"\n')
})

test('a file whose name the disk may not have yet is not said to be written [ENV-045]', (t) => {
  const { root, file, place } = ground(t)
  const bin = join(root, 'bin')
  fs.mkdirSync(bin)
  fs.writeFileSync(join(bin, 'sync'), '#!/bin/sh\n[ "$1" != . ]\n', { mode: 0o755 })
  const path = `${bin}:/usr/bin:/bin`
  assert.deepEqual(readWritten(runHere(write(place, 'A="1"\n'), { path })), {
    kind: 'refused',
    reason: 'not_flushed',
  })
  assert.equal(fs.readFileSync(file, 'utf8'), 'A="1"\n')
})

test('a link planted under the name of the candidate is not followed', (t) => {
  const { root, place } = ground(t)
  fs.symlinkSync(join(root, 'victim'), join(root, 'app', '.env.fleet-sync-a1'))
  assert.deepEqual(readWritten(runHere(write(place, 'A="1"\n'))), { kind: 'refused', reason: 'write_failed' })
  assert.equal(fs.existsSync(join(root, 'victim')), false)
})

test('the content and its digest stand on standard input, not in the arguments [ENV-002]', () => {
  const command = write(
    { user: 'fleet', root: '/srv', directory: '', file: '.env' },
    'A="canary-value"\n',
    'A="canary-before"\n',
  )
  for (const text of [command.line, command.shown, command.program ?? ''])
    assert.doesNotMatch(text, /canary|[0-9a-f]{64}/)
  assert.equal(command.shown, "script 'write the environment file' fleet /srv '' .env .env.fleet-sync-a1")
})

test('a write that is ended from outside removes its candidate and leaves the old file [INS-132]', async (t) => {
  const { file, place, entries } = ground(t)
  fs.writeFileSync(file, 'A="1"\n')
  const command = write(place, `A="${'2'.repeat(1000)}"\n`, 'A="1"\n')
  const appeared = new Promise<void>((resolve) => {
    const watcher = fs.watch(join(file, '..'), () => {
      watcher.close()
      resolve()
    })
  })
  const child = spawn('sh', ['-c', command.line], { detached: true, stdio: 'pipe' })
  child.stdin.write(inputBytes(command).subarray(0, -500))
  await appeared
  process.kill(-(child.pid ?? 0), 'SIGTERM')
  child.stdout.resume()
  // Closed when the last process of the group has ended.
  await once(child, 'close')
  assert.equal(fs.readFileSync(file, 'utf8'), 'A="1"\n')
  assert.deepEqual(entries(), ['.env'])
})

for (const shell of ['bash', 'dash', 'busybox', 'mksh', 'ksh', 'zsh']) {
  const path = spawnSync('sh', ['-c', `command -v ${shell}`])
    .stdout.toString()
    .trim()
  test(`the scripts mean the same under ${shell}`, { skip: path === '' && 'not installed' }, (t) => {
    const { root, file, place, entries } = ground(t)
    fs.mkdirSync(join(root, 'bin'))
    fs.symlinkSync(path, join(root, 'bin', 'sh'))
    const under = { path: `${join(root, 'bin')}:/usr/sbin:/usr/bin:/sbin:/bin` }
    assert.deepEqual(readWritten(runHere(write(place, 'A="1"\n'), under)), { kind: 'written' })
    const content = Buffer.from('A="1"\n')
    assert.deepEqual(readInspection(runHere(inspectFile(place, 100), under)), {
      kind: 'file',
      isPrivate: true,
      content,
    })
    assert.deepEqual(readWritten(runHere(write(place, 'A="2"\n'), under)), {
      kind: 'refused',
      reason: 'file_changed',
    })
    fs.rmSync(file)
    fs.symlinkSync('elsewhere', file)
    assert.deepEqual(readInspection(runHere(inspectFile(place, 100), under)), {
      kind: 'refused',
      reason: 'link',
    })
    assert.deepEqual(entries(), ['.env'])
  })
}

test('a default access list of the directory opens the file to nobody [ENV-045]', (t) => {
  const { root, file, place } = ground(t)
  const given = spawnSync('setfacl', ['-d', '-m', 'u:nobody:rwx', join(root, 'app')])
  if (given.status !== 0) return t.skip('needs access lists')
  assert.deepEqual(readWritten(runHere(write(place, 'A="1"\n'))), { kind: 'written' })
  assert.equal((fs.statSync(file).mode & 0o777).toString(8), '600')
  assert.partialDeepStrictEqual(readInspection(runHere(inspectFile(place, 100))), {
    kind: 'file',
    isPrivate: true,
  })
})

// A mount namespace of its own: the storage of the machine stays as it is.
const namespaced = spawnSync('unshare', ['-rm', 'true']).status === 0
const needsNamespace = { skip: !namespaced && 'needs a mount namespace' }

/** Runs the command on a small file system in the application directory, then prints what stands there. */
function onStorage(given: Ground, arrange: string, command: Command) {
  const script = `cd / && mount -t tmpfs -o size=64k tmpfs "$1/app" && cd "$1/app" && ${arrange}; cd /; sh -c "$0"; printf '%s' ----; cat "$1/app/.env"; ls -A "$1/app"`
  const ran = spawnSync('unshare', ['-rm', 'sh', '-c', script, command.line, given.root], {
    input: inputBytes(command),
  })
  const [stdout = '', after = ''] = ran.stdout.toString().split('----')
  return { result: { exitCode: 0, signal: null, stdout: Buffer.from(stdout), stderr: ran.stderr }, after }
}
const asNamespaceRoot = (given: Ground): Ground['place'] => ({ ...given.place, user: 'root' })
const OLD = `printf 'A="1"\\n' >.env`

test(
  'read-only storage is refused with its own reason and the old file stays [ENV-043]',
  needsNamespace,
  (t) => {
    const given = ground(t)
    const readOnly = `${OLD}; mount -o remount,ro "$1/app"`
    for (const command of [
      inspectFile(asNamespaceRoot(given), 100),
      write(asNamespaceRoot(given), 'A="2"\n', 'A="1"\n'),
    ]) {
      const { result, after } = onStorage(given, readOnly, command)
      assert.deepEqual(readWritten(result), { kind: 'refused', reason: 'storage_read_only' })
      assert.equal(after, 'A="1"\n.env\n')
    }
  },
)

test(
  'storage without the space for the file is refused with its own reason and the old file stays [ENV-043]',
  needsNamespace,
  (t) => {
    const given = ground(t)
    const inspected = onStorage(given, OLD, inspectFile(asNamespaceRoot(given), 200_000))
    assert.deepEqual(readWritten(inspected.result), { kind: 'refused', reason: 'storage_full' })
    const written = onStorage(
      given,
      OLD,
      write(asNamespaceRoot(given), `A="${'x'.repeat(200_000)}"\n`, 'A="1"\n'),
    )
    assert.deepEqual(readWritten(written.result), { kind: 'refused', reason: 'storage_full' })
    assert.equal(written.after, 'A="1"\n.env\n')
  },
)
