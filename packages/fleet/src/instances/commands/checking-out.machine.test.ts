import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LITERALS } from '@fleet/contract'
import { Secret } from '@fleet/kernel'
import { localSession } from '@fleet/testing'
import { git } from '@fleet/testing/git-server'
import { startInstancesFleet } from '@fleet/testing/instances-fleet'
import { placeOf } from '#/instances/steps/place.ts'
import { updateCheckout } from '#/instances/releases/update-checkout.ts'
import { ownLogin, tokenLogin } from '#/source-host/api.ts'
import { examineCopied } from '#/instances/copies/commands/copy-checkout.ts'
import { inspectUpstream } from './inspect-upstream.ts'
import { switchBranch } from './switch-branch.ts'

const LARGE = 'a line of the next commit\n'.repeat(1000)

/** A checkout on `main`, and commits after it whose last file a filter of the user writes, which does what the test wants. */
async function startCheckout({ token }: { readonly token?: Secret } = {}) {
  const fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', {
    '.gitattributes': '*.bin filter=lfs\n',
    'a.txt': 'before\n',
    'gone.txt': 'goes\n',
    'kept.txt': 'stays\n',
    shape: 'a file\n',
  })
  const { data } = await fleet.create({ name: 'default' })
  const filter = join(fleet.home, 'filter')
  const wants = (command: string): void => writeFileSync(filter, `${command}\n`)
  wants('cat')
  const lines = ['[filter "lfs"]', 'required = true', `smudge = "sh '${filter}'"`, 'clean = cat', '']
  writeFileSync(join(fleet.home, '.gitconfig'), lines.join('\n'))
  const next = (branch: string): string =>
    fleet.git.commit('app', branch, {
      'a.txt': 'after\n',
      'gone.txt': null,
      'large.txt': LARGE,
      'new/deep/file.txt': 'new\n',
      shape: null,
      'shape/inside.txt': 'a folder now\n',
      'z.bin': 'content\n',
    })
  const at = (path: string): string => join(data.checkout_path, path)
  const row = await fleet.store.db.selectFrom('instances').selectAll().executeTakeFirstOrThrow()
  const url = fleet.git.urlOf('app')
  const login = token === undefined ? ownLogin(url) : tokenLogin(url, token)
  const request = { ...placeOf(row), login, applicationDirectory: '' }
  const session = localSession(fleet.pool, { node: fleet.node })
  return {
    fleet,
    at,
    next,
    wants,
    request,
    session,
    read: (path: string) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined),
    status: () => git(data.checkout_path, ['status', '--porcelain']),
    update: () =>
      session.ask(updateCheckout, { ...request, login, repositoryUrl: login.url, branch: 'main' }),
    change: (from: string, to: string) =>
      session.ask(switchBranch, { ...request, login, from, to, drops: false }),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

/** Ends the script with the Git that it runs, in the middle of its writing. */
const CUT = 'kill -KILL 0'

test('an update that was cut off in the middle is continued by the next one: what Git has written is nobody’s work', async () => {
  await using world = await startCheckout()
  const commit = world.next('main')
  world.wants(CUT)
  await assert.rejects(world.update())
  assert.deepEqual([world.read('a.txt'), existsSync(world.at('.git/index.lock'))], ['after\n', true])
  // As the power leaves files whose content was not flushed.
  writeFileSync(world.at('a.txt'), '')
  writeFileSync(world.at('large.txt'), LARGE.slice(0, 5000))
  world.wants('cat')
  assert.deepEqual(await world.update(), { word: 'updated', commit })
  assert.deepEqual(
    [world.status(), world.read('a.txt'), world.read('large.txt'), world.read('z.bin')],
    ['', 'after\n', LARGE, 'content\n'],
  )
  assert.equal(existsSync(world.at(`.git/${LITERALS.gitReceiptFolder}/checking-out`)), false)
})

test('after an update that was cut off only what somebody has written since counts as work, and stays', async () => {
  await using world = await startCheckout()
  world.next('main')
  world.wants(CUT)
  await assert.rejects(world.update())
  writeFileSync(world.at('a.txt'), 'mine\n')
  writeFileSync(world.at('work.txt'), 'mine too\n')
  world.wants('cat')
  assert.deepEqual(await world.update(), {
    word: 'dirty',
    cleanliness: 'dirty',
    files: ['a.txt', 'work.txt'],
    count: 2,
  })
  assert.equal(world.status(), 'M a.txt\n?? work.txt')
  assert.deepEqual([world.read('a.txt'), world.read('work.txt')], ['mine\n', 'mine too\n'])
  assert.deepEqual(
    [world.read('gone.txt'), world.read('shape'), world.read('new/deep')],
    ['goes\n', 'a file\n', undefined],
  )
})

test('a switch that was cut off is undone completely, and is no work to whoever looks at the checkout', async () => {
  await using world = await startCheckout()
  world.next('trunk')
  const upstream = { url: undefined, branch: 'trunk', switching: { from: 'main', to: 'trunk' } }
  for (const again of [
    async () => assert.equal((await world.change('trunk', 'main')).word, 'switched'),
    async () =>
      assert.equal(
        (await world.session.ask(inspectUpstream, { ...world.request, ...upstream })).word,
        'inspected',
      ),
    async () =>
      assert.equal(
        (await world.session.ask(examineCopied, { ...world.request, branch: 'main' })).word,
        'copyable',
      ),
  ]) {
    world.wants(CUT)
    await assert.rejects(world.change('main', 'trunk'))
    assert.equal(world.read('a.txt'), 'after\n')
    world.wants('cat')
    await again()
    assert.deepEqual([world.status(), world.read('a.txt'), world.read('shape')], ['', 'before\n', 'a file\n'])
  }
  assert.equal((await world.change('main', 'trunk')).word, 'switched')
  assert.deepEqual([world.status(), world.read('z.bin')], ['', 'content\n'])
})

test('a full disk is named, and what was written until then is taken back at once', async () => {
  await using world = await startCheckout()
  world.next('main')
  world.next('trunk')
  world.wants('echo No space left on device >&2; exit 1')
  assert.deepEqual(await world.update(), { word: 'storage-full' })
  assert.deepEqual([world.status(), world.read('a.txt')], ['', 'before\n'])
  assert.deepEqual(await world.change('main', 'trunk'), { word: 'storage-full' })
  assert.deepEqual([world.status(), world.read('a.txt')], ['', 'before\n'])
})

test('the lock of a Git that the fleet did not start is named, and stays', async () => {
  await using world = await startCheckout()
  world.next('main')
  world.next('trunk')
  const lock = world.at('.git/index.lock')
  writeFileSync(lock, '')
  const locked = { word: 'locked', path: lock }
  assert.deepEqual([await world.update(), await world.change('main', 'trunk')], [locked, locked])
  assert.ok(existsSync(lock))
  rmSync(lock)
  assert.equal((await world.update()).word, 'updated')
})

test('an update and a switch lend their login to Git LFS, whose failure is named', async () => {
  await using world = await startCheckout({ token: new Secret('canary') })
  world.next('main')
  world.next('trunk')
  world.wants('cat >/dev/null; exit 2')
  const failed = { word: 'lfs-failed' }
  assert.deepEqual([await world.update(), await world.change('main', 'trunk')], [failed, failed])
  assert.equal(world.status(), '')
  const header = new URL(world.request.login.url).origin
  world.wants(`env | grep -qxF GIT_CONFIG_KEY_0=http.${header}/.extraHeader && cat`)
  assert.equal((await world.update()).word, 'updated')
  world.fleet.git.commit('app', 'other', { 'other.bin': 'content of another branch\n' })
  assert.equal((await world.change('main', 'other')).word, 'switched')
  assert.deepEqual(
    [world.status(), world.read('z.bin'), world.read('other.bin')],
    ['', 'content\n', 'content of another branch\n'],
  )
})

const POINTER = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n'

test('without Git LFS neither an update nor a switch puts a pointer in the place of its content', async () => {
  await using world = await startCheckout()
  const commit = world.fleet.git.commit('app', 'main', { 'below/z.bin': POINTER })
  world.fleet.git.commit('app', 'trunk', { '.gitattributes': '*.pdf filter=lfs\n', 'z.pdf': POINTER })
  rmSync(join(world.fleet.home, '.gitconfig'))
  const missing = { word: 'lfs-missing' }
  assert.deepEqual([await world.update(), await world.change('main', 'trunk')], [missing, missing])
  assert.deepEqual([world.status(), world.read('below'), world.read('z.pdf')], ['', undefined, undefined])
  // With it, also where the checkout has settings of its own under that name, whose programs are not run.
  const lines = ['[filter "lfs"]', 'smudge = "echo content"', 'clean = "echo given"', '']
  writeFileSync(join(world.fleet.home, '.gitconfig'), lines.join('\n'))
  const own = join(world.fleet.home, 'own')
  git(world.at('.'), ['config', 'filter.lfs.smudge', `touch ${own}`])
  assert.deepEqual(await world.update(), { word: 'updated', commit })
  assert.deepEqual([world.read('below/z.bin'), existsSync(own)], ['content\n', false])
})

test('pointers that a checkout has had, and files that are no pointers, keep nobody from an update', async () => {
  await using world = await startCheckout()
  world.fleet.git.commit('app', 'main', { 'old.bin': POINTER })
  assert.equal((await world.update()).word, 'updated')
  rmSync(join(world.fleet.home, '.gitconfig'))
  world.fleet.git.commit('app', 'main', { 'plain.bin': 'content\n', 'doc.txt': POINTER })
  assert.equal((await world.update()).word, 'updated')
  assert.deepEqual([world.read('old.bin'), world.read('plain.bin')], [POINTER, 'content\n'])
})
