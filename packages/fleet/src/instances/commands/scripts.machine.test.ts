import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { localPool, localSession } from '@fleet/testing'
import type { NodeScript } from '#/nodes/api.ts'
import type { CheckoutPlace, Outcome, WithLogin } from './checkout-script.ts'
import { discardCheckout } from './discard-checkout.ts'
import { inspectSource } from './inspect-source.ts'
import { prepareCheckout } from './prepare-checkout.ts'
import { resolveSource } from './resolve-source.ts'
import { excludeLines, excludePattern } from './source-state.ts'
import { examineTransfer, receiveSource } from '#/instances/transfer/commands/transfer-source.ts'
import { ownLogin } from '#/source-host/api.ts'

interface Bench extends Disposable {
  readonly folder: string
  readonly place: CheckoutPlace & WithLogin
  run<I>(
    script: NodeScript<I, Outcome<string>>,
    input: I,
    env?: Readonly<Record<string, string>>,
  ): Promise<string>
}

function makeBench(): Bench {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-scripts-')))
  const folder = join(home, 'apps', 'app')
  return {
    folder,
    place: { checkoutPath: join(folder, 'one'), preparationId: 'p-1', login: ownLogin('') },
    run: async (script, input, env = {}) =>
      (await localSession(localPool({ home, env })).ask(script, input)).word,
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}

const receiptOf = (path: string): string => {
  const { dev, ino } = statSync(path)
  return `p-1 ${dev} ${ino}\n`
}

/** Everything a killed preparation can leave, from nothing to a finished directory under its first name. */
const halves: Readonly<Record<string, (work: string) => void>> = {
  'an empty directory': (work) => mkdirSync(work),
  'folders without a receipt': (work) => mkdirSync(join(work, '.git/orbit'), { recursive: true }),
  'a receipt cut off in the middle': (work) => {
    mkdirSync(join(work, '.git/orbit'), { recursive: true })
    writeFileSync(join(work, '.git/orbit/preparation.p-1'), 'p-')
  },
  'a receipt and half a repository': (work) => {
    mkdirSync(join(work, '.git/orbit'), { recursive: true })
    writeFileSync(join(work, '.git/orbit/preparation'), receiptOf(work))
    writeFileSync(join(work, '.git/config.lock'), '')
  },
}

for (const [what, leave] of Object.entries(halves)) {
  test(`a preparation resumes after ${what} [INS-053]`, async () => {
    using bench = makeBench()
    mkdirSync(bench.folder, { recursive: true })
    leave(join(bench.folder, '.fleet-preparation-p-1'))
    assert.equal(await bench.run(prepareCheckout, bench.place), 'prepared')
    assert.deepEqual(readdirSync(bench.folder), ['one'])
    assert.deepEqual(readdirSync(join(bench.folder, 'one/.git/orbit')), ['preparation'])
  })

  test(`the clean-up of an attempt takes ${what} away, with the empty folder around it [INS-053]`, async () => {
    using bench = makeBench()
    mkdirSync(bench.folder, { recursive: true })
    leave(join(bench.folder, '.fleet-preparation-p-1'))
    assert.equal(
      await bench.run(discardCheckout, { ...bench.place, quarantineId: 'p-1', mode: 'attempt' }),
      'gone',
    )
    assert.equal(existsSync(bench.folder), false)
  })
}

test('a preparation takes away what a clean-up of its attempt left in quarantine [INS-052]', async () => {
  using bench = makeBench()
  await bench.run(prepareCheckout, bench.place)
  renameSync(bench.place.checkoutPath, join(bench.folder, '.fleet-removal-p-1'))
  assert.equal(await bench.run(prepareCheckout, bench.place), 'prepared')
  assert.deepEqual(readdirSync(bench.folder), ['one'])
})

test('a preparation keeps what somebody put under its working name [INS-053]', async () => {
  using bench = makeBench()
  const work = join(bench.folder, '.fleet-preparation-p-1')
  mkdirSync(work, { recursive: true })
  writeFileSync(join(work, 'mine.txt'), 'mine')
  assert.equal(await bench.run(prepareCheckout, bench.place), 'occupied')
  assert.equal(
    await bench.run(discardCheckout, { ...bench.place, quarantineId: 'p-1', mode: 'attempt' }),
    'erase-failed',
  )
  assert.equal(readFileSync(join(work, 'mine.txt'), 'utf8'), 'mine')
})

/** A Git whose `fetch` complains and fails, first on the path. */
function complainingGit(folder: string, complaint: string): Readonly<Record<string, string>> {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const lines = [
    `case " $* " in *' fetch '*) printf '%s\\n' '${complaint}' >&2; exit 128 ;; esac`,
    'PATH=$REAL exec git "$@"',
  ]
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 })
  const path = process.env['PATH'] ?? ''
  return { PATH: `${bin}:${path}`, REAL: path }
}

for (const [complaint, word] of [
  ['fatal: write error: No space left on device', 'storage-full'],
  ['error: unable to write file: Disk quota exceeded', 'storage-full'],
  ['fatal: cannot create file: Read-only file system', 'storage-read-only'],
  ['remote: fatal: No space left on device', 'fetch-failed'],
  ['fatal: could not read from remote repository', 'fetch-failed'],
] as const)
  test(`a fetch that ends with "${complaint}" is reported as ${word} [INS-060]`, async () => {
    using bench = makeBench()
    await bench.run(prepareCheckout, bench.place)
    const wanted = { repositoryUrl: 'https://127.0.0.1:1/x', branch: 'main', defaultBranch: 'main' }
    const request = { ...bench.place, ...wanted, applicationDirectory: '' }
    const env = complainingGit(join(bench.folder, '..'), complaint)
    assert.equal(await bench.run(resolveSource, request, env), word)
    assert.equal(existsSync(join(bench.place.checkoutPath, '.git/orbit/.fleet-room')), false)
  })

for (const [complaint, word] of [
  ['No space left on device', 'storage-full'],
  ['Permission denied', 'failed'],
] as const)
  test(`a folder of the Project that cannot be made because of "${complaint}" is reported as ${word} [INS-060]`, async () => {
    using bench = makeBench()
    const bin = join(bench.folder, '../../bin')
    mkdirSync(bin)
    const lines = [
      `case "$*" in '-- ./app') echo "mkdir: cannot create directory './app': ${complaint}" >&2; exit 1 ;; esac`,
      'PATH=$REAL exec mkdir "$@"',
    ]
    writeFileSync(join(bin, 'mkdir'), `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 })
    const real = process.env['PATH'] ?? ''
    const env = { PATH: `${bin}:${real}`, REAL: real }
    assert.equal(await bench.run(receiveSource, bench.place, env), word)
  })

test('links planted in the Git directory do not lead what a script writes out of the checkout', async () => {
  using bench = makeBench()
  await bench.run(prepareCheckout, bench.place)
  const outside = join(bench.folder, '..', 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'exclude'), 'mine\n')
  const git = join(bench.place.checkoutPath, '.git')
  symlinkSync(outside, join(git, 'info'))
  symlinkSync(join(outside, 'exclude'), join(git, 'orbit/.fleet-room'))
  const wanted = { repositoryUrl: 'https://127.0.0.1:1/x', branch: 'main', defaultBranch: 'main' }
  const request = { ...bench.place, ...wanted, applicationDirectory: '' }
  const env = complainingGit(join(bench.folder, '..'), 'fatal: could not read')
  assert.equal(await bench.run(resolveSource, request, env), 'fetch-failed')
  assert.equal(readFileSync(join(outside, 'exclude'), 'utf8'), 'mine\n')
  assert.equal(readFileSync(join(git, 'info/exclude'), 'utf8'), `${excludeLines('')}\n`)
})

test('a link planted under the name of a removal record is not written through', async () => {
  using bench = makeBench()
  await bench.run(prepareCheckout, bench.place)
  const outside = join(bench.folder, '..', 'outside')
  writeFileSync(outside, 'mine')
  symlinkSync(outside, join(bench.place.checkoutPath, '.git/orbit/removal.r-1'))
  const request = { ...bench.place, asked: 'skip' as const, recordFor: 'r-1', applicationDirectory: '' }
  assert.equal(await bench.run(inspectSource, request), 'inspected')
  assert.equal(readFileSync(outside, 'utf8'), 'mine')
  assert.match(readFileSync(join(bench.place.checkoutPath, '.git/orbit/removal'), 'utf8'), /^r-1 /)
})

test("filters and other programs of a checkout's own settings are not run", async () => {
  using bench = makeBench()
  await bench.run(prepareCheckout, bench.place)
  const path = bench.place.checkoutPath
  const trap = join(bench.folder, '..', 'trap')
  const program = join(bench.folder, '..', 'program')
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >>${trap}\ncat\n`, { mode: 0o755 })
  const git = (...words: readonly string[]): unknown =>
    execFileSync('git', ['-C', path, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
      stdio: 'ignore',
    })
  writeFileSync(join(path, 'file'), 'one\n')
  git('add', 'file')
  git('commit', '-qm', 'one')
  mkdirSync(join(path, '.git/info'))
  writeFileSync(join(path, '.git/info/attributes'), '* filter=a=b\n')
  for (const name of ['filter.a=b.clean', 'filter.a=b.smudge', 'filter.a=b.process', 'core.sshCommand'])
    git('config', name, program)
  for (const name of ['credential.helper', 'credential.https://127.0.0.1.helper'])
    git('config', name, program)
  git('config', 'filter.a=b.required', 'true')
  git('config', 'remote.origin.url', 'ssh://127.0.0.1:1/x')
  // Of the same size and another time, so that Git has to compare the contents.
  writeFileSync(join(path, 'file'), 'two\n')
  utimesSync(join(path, 'file'), 1, 1)
  const inspected = { ...bench.place, applicationDirectory: '', asked: 'ask' as const }
  const session = localSession(localPool({ home: join(bench.folder, '..', '..') }))
  const answer = await session.ask(inspectSource, inspected)
  assert.equal(answer.word === 'inspected' ? answer.facts.cleanliness : answer.word, 'dirty')
  assert.equal(existsSync(trap) ? readFileSync(trap, 'utf8') : '', '')
})

test('what the settings of the user name in the place of ssh talks to the origin', async () => {
  using bench = makeBench()
  await bench.run(prepareCheckout, bench.place)
  const home = join(bench.folder, '..', '..')
  const program = join(home, 'own-ssh')
  writeFileSync(program, `#!/bin/sh\necho "$*" >>'${home}/said'\nexit 1\n`, { mode: 0o755 })
  writeFileSync(join(home, '.gitconfig'), `[core]\n\tsshCommand = ${program} -4\n`)
  execFileSync('git', ['-C', bench.place.checkoutPath, 'config', 'remote.origin.url', 'ssh://127.0.0.1:1/x'])
  const inspected = { ...bench.place, applicationDirectory: '', asked: 'ask' as const }
  await localSession(localPool({ home })).ask(inspectSource, inspected)
  assert.match(
    readFileSync(join(home, 'said'), 'utf8'),
    /^-4 -o BatchMode=yes -o ConnectTimeout=20 .*127\.0\.0\.1/,
  )
})

test('a fetch that fails says of what kind the complaint of Git was, and nothing of its text', async () => {
  using bench = makeBench()
  await bench.run(prepareCheckout, bench.place)
  const wanted = { repositoryUrl: 'https://127.0.0.1:1/x', branch: 'main', defaultBranch: 'main' }
  const request = { ...bench.place, ...wanted, applicationDirectory: '' }
  const home = join(bench.folder, '..', '..')
  const ask = (env = {}) => localSession(localPool({ home, env })).ask(resolveSource, request)
  assert.deepEqual(await ask(), { word: 'fetch-failed', gitReason: 'refused' })
  const untrusted = complainingGit(join(bench.folder, '..'), 'fatal: x: SSL certificate problem: expired')
  assert.deepEqual(await ask(untrusted), { word: 'fetch-failed', gitReason: 'certificate' })
})

/** What is left of a quarantined checkout after so many steps of its deletion. */
const remains: Readonly<Record<string, (path: string) => void>> = {
  everything: () => {},
  'the Git directory': (path) => rmSync(join(path, 'file')),
  'the receipt alone': (path) => {
    rmSync(join(path, 'file'))
    for (const name of readdirSync(join(path, '.git'))) {
      if (name !== 'orbit') rmSync(join(path, '.git', name), { recursive: true })
    }
  },
  'empty folders': (path) => {
    rmSync(path, { recursive: true })
    mkdirSync(join(path, '.git/orbit'), { recursive: true })
  },
  'one empty folder': (path) => {
    rmSync(path, { recursive: true })
    mkdirSync(path)
  },
}

for (const [what, strip] of Object.entries(remains)) {
  test(`a deletion cut off with ${what} in quarantine is finished by the next one [INS-115]`, async () => {
    using bench = makeBench()
    await bench.run(prepareCheckout, bench.place)
    writeFileSync(join(bench.place.checkoutPath, 'file'), 'content')
    const quarantine = join(bench.folder, '.fleet-removal-op-1')
    renameSync(bench.place.checkoutPath, quarantine)
    strip(quarantine)
    assert.equal(
      await bench.run(discardCheckout, { ...bench.place, quarantineId: 'op-1', mode: 'force' }),
      'gone',
    )
    assert.equal(existsSync(bench.folder), false)
  })
}

test('a folder that cannot be deleted is looked for before a removal and before a transfer', async () => {
  using bench = makeBench()
  await bench.run(prepareCheckout, bench.place)
  const bin = join(bench.folder, '../../bin')
  mkdirSync(bin)
  const find = `#!/bin/sh\ncase "$*" in *' ! -writable '*) echo "$1/theirs" ;; *) PATH=/usr/bin:/bin exec find "$@" ;; esac\n`
  writeFileSync(join(bin, 'find'), find, { mode: 0o755 })
  const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` }
  const inspected = { ...bench.place, applicationDirectory: '', asked: 'skip' as const }
  const kept = async (given: Readonly<Record<string, string>>): Promise<string | undefined> => {
    const answer = await localSession(localPool({ home: join(bench.folder, '../..'), env: given })).ask(
      inspectSource,
      inspected,
    )
    return answer.word === 'inspected' ? answer.facts.kept : undefined
  }
  assert.deepEqual([await kept({}), await kept(env)], ['', join(bench.place.checkoutPath, 'theirs')])
  assert.equal(await bench.run(examineTransfer, bench.place), 'movable')
  assert.equal(await bench.run(examineTransfer, bench.place, env), 'kept')
})

test('a quarantine without the receipt keeps its content [INS-053]', async () => {
  using bench = makeBench()
  const quarantine = join(bench.folder, '.fleet-removal-op-1')
  mkdirSync(quarantine, { recursive: true })
  writeFileSync(join(quarantine, 'mine.txt'), 'mine')
  assert.equal(
    await bench.run(discardCheckout, { ...bench.place, quarantineId: 'op-1', mode: 'force' }),
    'erase-failed',
  )
  assert.equal(readFileSync(join(quarantine, 'mine.txt'), 'utf8'), 'mine')
})

test('folders that nobody may write are deleted too [INS-115]', async () => {
  using bench = makeBench()
  await bench.run(prepareCheckout, bench.place)
  mkdirSync(join(bench.place.checkoutPath, 'locked/deep'), { recursive: true })
  writeFileSync(join(bench.place.checkoutPath, 'locked/deep/file'), '')
  chmodSync(join(bench.place.checkoutPath, 'locked/deep'), 0o500)
  chmodSync(join(bench.place.checkoutPath, 'locked'), 0o000)
  mkdirSync(join(bench.place.checkoutPath, '.git/objects/ab'))
  writeFileSync(join(bench.place.checkoutPath, '.git/objects/ab/cd'), '')
  for (const inside of ['objects/ab', 'objects', 'orbit', '.'])
    chmodSync(join(bench.place.checkoutPath, '.git', inside), 0o500)
  assert.equal(
    await bench.run(discardCheckout, { ...bench.place, quarantineId: 'p-1', mode: 'attempt' }),
    'gone',
  )
})

/** A process that stands for a script which outlived its connection. */
const startWorker = (seconds: number): ChildProcess => spawn('sleep', [String(seconds)], { stdio: 'ignore' })

const stateOf = (pid: number): string | undefined =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .at(0)

const bornAt = (pid: number): string =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')[19] ?? ''

test(
  'a script waits for the one of an earlier request that still works on the checkout',
  { skip: !existsSync('/proc/self/stat') },
  async () => {
    using bench = makeBench()
    await bench.run(prepareCheckout, bench.place)
    const worker = startWorker(1)
    const ended = new Promise<boolean>((resolve) => worker.once('exit', () => resolve(true)))
    const pid = worker.pid ?? 0
    writeFileSync(join(bench.place.checkoutPath, '.git/orbit/worker'), `${pid} ${bornAt(pid)}\n`)
    assert.equal(
      await bench.run(discardCheckout, { ...bench.place, quarantineId: 'p-1', mode: 'attempt' }),
      'gone',
    )
    assert.equal(await Promise.race([ended, Promise.resolve(false)]), true)
  },
)

test(
  'a dead script that nobody has collected holds nobody up',
  { skip: !existsSync('/proc/self/stat') },
  async () => {
    using bench = makeBench()
    await bench.run(prepareCheckout, bench.place)
    // What the shell started dies under a `sleep` that never asks for it.
    const parent = spawn('sh', ['-c', 'sleep 30 & echo $!; exec sleep 30'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(parent.stdout, 'readable')
    const pid = Number(String(parent.stdout.read()))
    // Killed no earlier: the shell itself would have asked.
    while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8') !== 'sleep\n') await new Promise(setImmediate)
    process.kill(pid, 'SIGKILL')
    while (stateOf(pid) !== 'Z') await new Promise(setImmediate)
    writeFileSync(join(bench.place.checkoutPath, '.git/orbit/worker'), `${pid} ${bornAt(pid)}\n`)
    const begun = performance.now()
    assert.equal(
      await bench.run(discardCheckout, { ...bench.place, quarantineId: 'p-1', mode: 'attempt' }),
      'gone',
    )
    assert.ok(performance.now() - begun < 1000, 'it waited for the dead one')
    parent.kill('SIGKILL')
  },
)

test('the number of an ended script, taken by another process, holds nobody up', async () => {
  using bench = makeBench()
  await bench.run(prepareCheckout, bench.place)
  writeFileSync(join(bench.place.checkoutPath, '.git/orbit/worker'), `${process.pid} 1\n`)
  assert.equal(
    await bench.run(discardCheckout, { ...bench.place, quarantineId: 'p-1', mode: 'attempt' }),
    'gone',
  )
})

test('the exclude line names one file, whatever characters its folder has', () => {
  assert.equal(excludePattern(''), '/.env')
  assert.equal(excludePattern('apps/site'), '/apps/site/.env')
  assert.equal(excludePattern('a[b]*?'), '/a\\[b]\\*\\?/.env')
})
