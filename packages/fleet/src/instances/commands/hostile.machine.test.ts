import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { localPool, localSession } from '@fleet/testing'
import { sampleShare } from '@fleet/testing/sample'
import fc from 'fast-check'
import { detectProfile } from '#/instances/profile.ts'
import { examineSource, MANIFEST_MAX_BYTES } from './examine-source.ts'
import { inspectSource } from './inspect-source.ts'
import { prepareCheckout } from './prepare-checkout.ts'
import { ownLogin } from '#/source-host/api.ts'

const SECRET = 'canary-of-another-instance'
const SECONDS = 20

interface Bench extends Disposable {
  readonly home: string
  readonly checkout: string
  /** Made by anything of the checkout that ran. */
  readonly trap: string
  /** A file of somebody else. */
  readonly outside: string
  readonly session: ReturnType<typeof localSession>
  /** The checkout as Git made it. */
  renew(): void
}

async function startBench(): Promise<Bench> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-hostile-')))
  const checkout = join(home, 'apps/app/one')
  const outside = join(home, 'outside')
  mkdirSync(dirname(checkout), { recursive: true })
  writeFileSync(outside, JSON.stringify({ require: { 'laravel/framework': SECRET } }))
  const session = localSession(localPool({ home, env: {} }))
  await session.ask(prepareCheckout, { checkoutPath: checkout, preparationId: 'p-1' })
  const git = (...words: readonly string[]): unknown =>
    execFileSync('git', ['-C', checkout, ...words], { env: { ...process.env, HOME: home }, stdio: 'ignore' })
  git('init', '-q', '-b', 'main')
  git('remote', 'add', 'origin', 'https://127.0.0.1:1/app')
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first')
  // The receipt names the folder itself, so only what is in it is made again.
  const whole = join(home, 'whole')
  cpSync(join(checkout, '.git'), whole, { recursive: true })
  const renew = (): void => {
    for (const name of readdirSync(checkout))
      if (name !== '.git') rmSync(join(checkout, name), { recursive: true })
    for (const name of readdirSync(join(checkout, '.git')))
      if (name !== 'orbit') rmSync(join(checkout, '.git', name), { recursive: true })
    for (const name of readdirSync(whole))
      if (name !== 'orbit') cpSync(join(whole, name), join(checkout, '.git', name), { recursive: true })
  }
  const gone = (): void => rmSync(home, { recursive: true, force: true })
  return { home, checkout, trap: join(home, 'trap'), outside, session, renew, [Symbol.dispose]: gone }
}

const PLACES = [
  'artisan',
  'bin',
  'bin/console',
  'composer.json',
  '.env',
  '.gitattributes',
  '.gitmodules',
  'app',
  'app/artisan',
  'app/bin/console',
  'app/composer.json',
  '-rf',
  '$(touch trap)',
  'two\nlines\tand\u001B[31m',
  '.git/HEAD',
  '.git/index',
  '.git/packed-refs',
  '.git/refs/heads/main',
  '.git/refs/heads/-x',
  '.git/info',
  '.git/modules',
  '.git/commondir',
  '.git/shallow',
  '.git/objects/info/alternates',
] as const

type Kind = 'file' | 'large' | 'folder' | 'out' | 'loop' | 'nowhere' | 'pipe'

const content = fc.oneof(
  fc.json().map((text) => Buffer.from(text)),
  fc
    .record({ require: fc.json({ maxDepth: 1 }), 'require-dev': fc.anything({ maxDepth: 2 }) })
    .map((value) => Buffer.from(JSON.stringify(value) ?? '')),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(
    Buffer.from('\uFEFF{"require":{"laravel/framework":"*"}}'),
    Buffer.from('['.repeat(100_000)),
    Buffer.from('{"require":{"__proto__":{},"laravel/framework":"1","Laravel/Framework":"2"}}'),
    Buffer.from('ref: refs/heads/../../../outside\n'),
    Buffer.from('* filter=trap diff=trap merge=trap text\n'),
    Buffer.from('field answer examined\nanswer 8 examined\n'),
    Buffer.from('../../outside\n'),
  ),
)

const entry = fc.record({
  place: fc.constantFrom(...PLACES),
  kind: fc.constantFrom<Kind[]>('file', 'file', 'file', 'large', 'folder', 'out', 'loop', 'nowhere', 'pipe'),
  content,
})

/** Settings and hooks of a checkout that name something to run. */
const settings = fc.subarray([
  'core.fsmonitor',
  'core.hooksPath',
  'core.sshCommand',
  'core.alternateRefsCommand',
  'core.pager',
  'core.editor',
  'core.askPass',
  'core.gitProxy',
  'credential.helper',
  'credential.https://127.0.0.1:1.helper',
  'filter.trap.clean',
  'filter.trap.smudge',
  'filter.trap.process',
  'diff.external',
  'diff.trap.textconv',
  'diff.trap.command',
  'merge.trap.driver',
  'gpg.program',
  'remote.origin.uploadpack',
  'remote.origin.vcs',
  'uploadpack.packObjectsHook',
  'protocol.ext.allow',
  'url.ext::trap .insteadOf',
  'alias.status',
  'core.worktree',
  'core.bare',
])

const HOOKS = ['reference-transaction', 'post-index-change', 'pre-auto-gc', 'fsmonitor-watchman'] as const

const hostile = fc.record({
  entries: fc.array(entry, { maxLength: 6 }),
  settings,
  garbage: fc.option(fc.uint8Array({ maxLength: 200 }), { freq: 10 }),
  origin: fc.constantFrom(
    'https://127.0.0.1:1/app',
    'ext::sh -c trap',
    '/etc',
    '-oProxyCommand=trap',
    'file:///etc',
  ),
  applicationDirectory: fc.constantFrom('', 'app', 'app/bin'),
})
type Hostile = typeof hostile extends fc.Arbitrary<infer T> ? T : never

function arrange({ checkout, trap, outside }: Bench, given: Hostile): void {
  const touch = `touch '${trap}'`
  const value = (name: string): string =>
    name === 'core.worktree'
      ? '/'
      : name === 'core.bare'
        ? 'true'
        : name === 'protocol.ext.allow'
          ? 'always'
          : touch
  const config = join(checkout, '.git/config')
  for (const name of given.settings) execFileSync('git', ['config', '-f', config, name, value(name)])
  execFileSync('git', ['config', '-f', config, 'remote.origin.url', given.origin])
  const hooks = join(checkout, '.git/hooks')
  mkdirSync(hooks, { recursive: true })
  for (const name of HOOKS) writeFileSync(join(hooks, name), `#!/bin/sh\n${touch}\n`, { mode: 0o755 })
  if (given.garbage) writeFileSync(config, given.garbage, { flag: 'a' })
  for (const { place, kind, content: bytes } of given.entries) {
    const path = join(checkout, place)
    // An earlier entry may be a file, or lead out of the checkout, where this one has a folder.
    if (!isPlainFolder(dirname(path), checkout)) continue
    rmSync(path, { recursive: true, force: true })
    if (kind === 'file') writeFileSync(path, bytes)
    else if (kind === 'large') writeFileSync(path, Buffer.alloc(MANIFEST_MAX_BYTES + 1, 'x'))
    else if (kind === 'folder') mkdirSync(path)
    // Git itself waits for a pipe in the place of a file of its own, until the deadline of the request; no clone brings one.
    else if (kind === 'pipe') {
      if (!place.startsWith('.git')) execFileSync('mkfifo', [path])
    } else symlinkSync({ out: outside, loop: path, nowhere: '/nowhere/at/all' }[kind], path)
  }
}

function isPlainFolder(folder: string, checkout: string): boolean {
  try {
    if (folder.startsWith(checkout)) mkdirSync(folder, { recursive: true })
    return realpathSync(folder) === folder
  } catch {
    return false
  }
}

test(
  'whatever a checkout holds, reading its profile and inspecting its source end in time with an answer, run nothing of it and show nothing from outside',
  { timeout: 300_000 },
  async () => {
    using bench = await startBench()
    const { session, checkout, trap, outside } = bench
    const secret = readFileSync(outside, 'utf8')
    const place = { checkoutPath: checkout, preparationId: 'p-1' }
    await fc.assert(
      fc.asyncProperty(hostile, async (given) => {
        bench.renew()
        rmSync(trap, { force: true })
        arrange(bench, given)
        const { applicationDirectory } = given
        const began = performance.now()
        const examined = await session.ask(examineSource, { ...place, applicationDirectory })
        if (examined.word === 'examined') {
          assert.ok(!examined.evidence.manifest.includes(SECRET))
          const finding = detectProfile(examined.evidence)
          assert.match('profile' in finding ? 'app-dev.' : finding.code, /^app-dev\./)
        }
        const inspected = await session.ask(inspectSource, {
          login: ownLogin(''),
          ...place,
          applicationDirectory,
          asked: 'ask' as const,
        })
        if (inspected.word === 'inspected') assert.notEqual(inspected.facts.asked, 'asked')
        assert.ok(performance.now() - began < SECONDS * 1000, 'it ends in time')
        assert.ok(!existsSync(trap), 'something of the checkout ran')
        assert.equal(readFileSync(outside, 'utf8'), secret)
      }),
      { numRuns: 320 / sampleShare(16) },
    )
  },
)
