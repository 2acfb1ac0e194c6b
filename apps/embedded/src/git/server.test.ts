import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test, type TestContext } from 'node:test'
import { freePort } from '@fleet/testing/free-port'
import { systemClock } from '@fleet/kernel'
import { ensureLeaf, ensureRoot } from '@fleet/pki'
import { ensureRepository } from './repository.ts'
import { startGitServer } from './server.ts'

const SOURCE = resolve(import.meta.dirname, '../../sample/shop')
const programs = { PATH: process.env['PATH'] ?? '' }

interface Served {
  readonly url: string
  readonly ca: string
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
}

async function serve(context: TestContext): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-git-'))
  const repositories = join(folder, 'git')
  mkdirSync(repositories)
  await ensureRepository(join(repositories, 'shop.git'), SOURCE, programs)
  const root = await ensureRoot({ directory: join(folder, 'ca'), clock: systemClock, name: 'Test root' })
  const leaf = await ensureLeaf({
    directory: join(folder, 'tls'),
    root,
    clock: systemClock,
    names: ['localhost'],
    addresses: ['127.0.0.1'],
  })
  const server = await startGitServer({
    port: await freePort(),
    repositories,
    programs,
    certificate: leaf.certificate,
    key: leaf.key.reveal(),
  })
  context.after(async () => {
    await server[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })
  const ca = join(folder, 'ca', 'root.crt')
  const environment = { ...programs, HOME: folder, GIT_SSL_CAINFO: ca, GIT_CONFIG_NOSYSTEM: '1' }
  return { url: server.url, ca, folder, environment }
}

// Asynchronous, because the server that answers Git lives in this process.
async function git(
  served: Served,
  ...words: readonly string[]
): Promise<{ status: number | null; out: string }> {
  const child = spawn('git', words, { cwd: served.folder, env: served.environment })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')))
  child.stderr.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')))
  await once(child, 'close')
  return { status: child.exitCode, out }
}

function statusOf(served: Served, method: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(
      served.url + path,
      { method, ca: readFileSync(served.ca), agent: false },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
    sent.once('error', reject)
    sent.end()
  })
}

test('a clone that trusts the root of the fleet gets every file, branch and tag', async (context) => {
  const served = await serve(context)
  const clone = await git(served, 'clone', '--quiet', `${served.url}/shop.git`, 'clone')
  assert.deepEqual(clone, { status: 0, out: '' })
  const files = (folder: string): string[] => readdirSync(folder).filter((name) => name !== '.git')
  assert.deepEqual(files(join(served.folder, 'clone')).toSorted(), files(SOURCE).toSorted())
  assert.equal((await git(served, '-C', 'clone', 'rev-list', '--count', 'HEAD')).out, '2\n')
  const refs = await git(served, '-C', 'clone', 'for-each-ref', '--format=%(refname)')
  assert.deepEqual(refs.out.trim().split('\n'), [
    'refs/heads/main',
    'refs/remotes/origin/HEAD',
    'refs/remotes/origin/main',
    'refs/remotes/origin/next',
    'refs/tags/v1.0.0',
  ])
})

test('a client without the root of the fleet refuses the server', async (context) => {
  const served = await serve(context)
  const environment = { ...served.environment, GIT_SSL_CAINFO: '/etc/ssl/certs/ca-certificates.crt' }
  const { status, out } = await git({ ...served, environment }, 'ls-remote', `${served.url}/shop.git`)
  assert.equal(status, 128)
  assert.match(out, /certificate/i)
})

test('a push is refused and changes nothing', async (context) => {
  const served = await serve(context)
  await git(served, 'clone', '--quiet', `${served.url}/shop.git`, 'clone')
  const before = await git(served, 'ls-remote', `${served.url}/shop.git`)
  const push = await git(served, '-C', 'clone', 'push', '--quiet', 'origin', 'main:refs/heads/mine')
  assert.notEqual(push.status, 0)
  assert.deepEqual(await git(served, 'ls-remote', `${served.url}/shop.git`), before)
})

const refused: ReadonlyArray<readonly [method: string, path: string]> = [
  ['GET', '/shop.git/info/refs?service=git-receive-pack'],
  ['GET', '/shop.git/info/refs'],
  ['POST', '/shop.git/git-receive-pack'],
  ['GET', '/shop.git/HEAD'],
  ['GET', '/tls/gateway.pem'],
  ['GET', '/../tls/gateway.pem'],
  ['POST', '/shop.git/../../ca/git-upload-pack'],
]
test('every request that is no part of a fetch is refused', async (context) => {
  const served = await serve(context)
  for (const [method, path] of refused)
    assert.equal(await statusOf(served, method, path), 403, `${method} ${path}`)
})

test('a repository that does not exist is not found', async (context) => {
  const served = await serve(context)
  assert.equal(await statusOf(served, 'GET', '/none.git/info/refs?service=git-upload-pack'), 404)
})

test('every fleet makes the same commits, whatever the person configured for Git', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-git-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const home = join(folder, 'home')
  mkdirSync(home)
  const configuration =
    '[user]\n\tname = Somebody\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = /bin/false\n'
  writeFileSync(join(home, '.gitconfig'), configuration)
  await ensureRepository(join(folder, 'one.git'), SOURCE, programs)
  await ensureRepository(join(folder, 'two.git'), SOURCE, { ...programs, HOME: home })
  const head = (name: string): string =>
    execFileSync('git', ['--git-dir', join(folder, name), 'rev-parse', 'main'], { encoding: 'utf8' })
  assert.equal(head('one.git'), head('two.git'))
  assert.deepEqual(readdirSync(folder).toSorted(), ['home', 'one.git', 'two.git'])
})

test('an existing repository stays as it is', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-git-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'shop.git')
  await ensureRepository(path, SOURCE, programs)
  execFileSync('git', ['--git-dir', path, 'branch', 'mine', 'main'])
  await ensureRepository(path, SOURCE, programs)
  assert.match(execFileSync('git', ['--git-dir', path, 'branch'], { encoding: 'utf8' }), /mine/)
})
