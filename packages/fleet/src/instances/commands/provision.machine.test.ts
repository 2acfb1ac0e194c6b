import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { localPool, localSession, type NameChanges, nameChanges } from '@fleet/testing'
import type { NodeSession } from '#/nodes/api.ts'
import { adoptSource } from './adopt-source.ts'
import { ignoreEnvironment } from './ignore-environment.ts'
import { inspectSource } from './inspect-source.ts'
import { prepareCheckout } from './prepare-checkout.ts'
import { provisionEnvironment } from './provision-environment.ts'
import { excludeLines } from './source-state.ts'
import { ownLogin } from '#/source-host/api.ts'

interface Bench {
  readonly session: NodeSession
  readonly names: NameChanges
  readonly place: { readonly checkoutPath: string; readonly preparationId: string }
}

/** A prepared checkout on a machine that notes every change of a name. */
async function bench(t: TestContext): Promise<Bench> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-provision-')))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const names = nameChanges(home)
  const session = localSession(localPool({ home, env: { PATH: `${names.bin}:/usr/bin:/bin` } }))
  const place = { checkoutPath: join(home, 'apps/app/one'), preparationId: 'p-1' }
  await session.ask(prepareCheckout, place)
  return { session, names, place }
}

test('the first environment file and its name are on the disk before anything else happens [INS-056]', async (t) => {
  const { session, names, place } = await bench(t)
  writeFileSync(join(place.checkoutPath, '.env.example'), 'A=1\n')
  const request = { ...place, applicationDirectory: '', emptyWithout: false, url: undefined }
  assert.deepEqual(await session.ask(provisionEnvironment, request), { word: 'made' })
  assert.deepEqual(readdirSync(place.checkoutPath).toSorted(), ['.env', '.env.example', '.git'])
  assert.equal(statSync(join(place.checkoutPath, '.env')).mode & 0o777, 0o600)
  assert.deepEqual(names.unflushed(), [])
})

test('the first environment file of a framework says where it is served, once, in the place of the example [INS-056]', async (t) => {
  const { session, place } = await bench(t)
  const file = join(place.checkoutPath, '.env')
  for (const [example, expected] of [
    ['A=1\nAPP_URL=http://localhost\nB=2\nAPP_URL=x', 'A=1\nAPP_URL=https://shop.test\nB=2\n'],
    ['A=1', 'A=1\nAPP_URL=https://shop.test\n'],
    [undefined, 'APP_URL=https://shop.test\n'],
  ] as const) {
    const request = { ...place, applicationDirectory: '', emptyWithout: true, url: 'https://shop.test' }
    rmSync(file, { force: true })
    rmSync(`${file}.example`, { force: true })
    if (example !== undefined) writeFileSync(`${file}.example`, example)
    assert.deepEqual(await session.ask(provisionEnvironment, request), { word: 'made' })
    assert.equal(readFileSync(file, 'utf8'), expected)
    writeFileSync(file, 'mine\n')
    assert.deepEqual(await session.ask(provisionEnvironment, request), { word: 'kept' })
    assert.equal(readFileSync(file, 'utf8'), 'mine\n')
  }
})

test('what a power cut left of an environment file is no work of the source [INS-111]', async (t) => {
  const { session, place } = await bench(t)
  const git = (...words: readonly string[]): unknown =>
    execFileSync('git', ['-C', place.checkoutPath, ...words], { stdio: 'ignore' })
  writeFileSync(join(place.checkoutPath, 'file'), '')
  git('add', 'file')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'one')
  const cleanliness = async (): Promise<string> => {
    const answer = await session.ask(inspectSource, {
      login: ownLogin(''),
      ...place,
      applicationDirectory: 'a[b]',
      asked: 'skip' as const,
    })
    return answer.word === 'inspected' ? answer.facts.cleanliness : answer.word
  }
  const at = (name: string): string => join(place.checkoutPath, 'a[b]', name)
  const exclude = join(place.checkoutPath, '.git/info/exclude')
  mkdirSync(at(''))
  mkdirSync(join(exclude, '..'), { recursive: true })
  for (const name of ['0193a5c2-7b1e-7cc0-8d2f-1f0a5f3c9e11', 'sync-0123456789abcdef', 'url'])
    writeFileSync(at(`.env.fleet-${name}`), 'SECRET=1\n')
  assert.equal(await cleanliness(), 'clean')
  for (const name of ['.env.fleet-staging', '.env.fleet-0193a5c2']) {
    writeFileSync(at(name), '')
    // The line that the fleet of before wrote does not hide it; one of the user does.
    for (const [line, expected] of [
      ['', 'dirty'],
      ['/a\\[b]/.env.fleet-*\n', 'dirty'],
      ['.env.*\n', 'clean'],
    ] as const) {
      writeFileSync(exclude, line)
      assert.equal(await cleanliness(), expected, name + line)
    }
    rmSync(exclude)
    rmSync(at(name))
  }
  writeFileSync(at('.env.other'), '')
  assert.equal(await cleanliness(), 'dirty')
})

const OUTDATED = 'mine\n/web/.env\n/web/.env.fleet-*\n/other/.env.fleet-*\n'
const RENEWED = `mine\n/web/.env\n/other/.env.fleet-*\n${excludeLines('web').replace('/web/.env\n', '')}\n`

test('the line of before in the exclude file of Git, which hid files of others, is replaced', async (t) => {
  const { session, names, place } = await bench(t)
  const file = join(place.checkoutPath, '.git/info/exclude')
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, OUTDATED)
  const request = { ...place, applicationDirectory: 'web' }
  for (const _ of [1, 2]) {
    assert.deepEqual(await session.ask(ignoreEnvironment, request), { word: 'ignored' })
    assert.equal(readFileSync(file, 'utf8'), RENEWED)
  }
  assert.deepEqual(
    names.unflushed().filter((folder) => folder.endsWith('/info')),
    [],
  )
})

test('it is replaced in a checkout that is adopted, too', async (t) => {
  const { session, place } = await bench(t)
  const sourcePath = join(place.checkoutPath, '../../mine')
  execFileSync('git', ['init', '-q', sourcePath])
  const file = join(sourcePath, '.git/info/exclude')
  writeFileSync(file, OUTDATED)
  const checkoutPath = join(place.checkoutPath, '../two')
  const request = { checkoutPath, preparationId: 'p-2', sourcePath, applicationDirectory: 'web' }
  assert.equal((await session.ask(adoptSource, request)).word, 'adopted')
  assert.equal(readFileSync(join(checkoutPath, '.git/info/exclude'), 'utf8'), RENEWED)
})
