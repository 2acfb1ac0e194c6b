import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
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
import { inspectSource } from './inspect-source.ts'
import { prepareCheckout } from './prepare-checkout.ts'
import { provisionEnvironment } from './provision-environment.ts'
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
      askOrigin: false,
    })
    return answer.word === 'inspected' ? answer.facts.cleanliness : answer.word
  }
  execFileSync('mkdir', [join(place.checkoutPath, 'a[b]')])
  writeFileSync(join(place.checkoutPath, 'a[b]/.env.fleet-0193a5c2'), 'SECRET=1\n')
  assert.equal(await cleanliness(), 'clean')
  writeFileSync(join(place.checkoutPath, 'a[b]/.env.other'), '')
  assert.equal(await cleanliness(), 'dirty')
})
