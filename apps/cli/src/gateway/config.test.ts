import assert from 'node:assert/strict'
import {
  chmodSync,
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
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { ClientError } from '#/exit.ts'
import { readConfig, updateConfig } from './config.ts'
import type { Profile } from './profile.ts'

const place = (context: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-cli-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'fleet', 'gateways.json')
}
const office: Profile = { name: 'office', url: 'https://10.44.0.1', pin: 'ab'.repeat(32), ca: 'PEM' }
const store = (path: string): Promise<void> =>
  updateConfig(path, () => ({ active: 'office', gateways: [office] }))
const refusedWith = (code: string) => (error: unknown) => error instanceof ClientError && error.code === code

test('no file means no gateways', async (context) => {
  assert.deepEqual(await readConfig(place(context)), { active: undefined, gateways: [] })
})

test('what is stored is read back, from a file that its owner alone can read', async (context) => {
  const path = place(context)
  await store(path)
  assert.deepEqual(await readConfig(path), { active: 'office', gateways: [office] })
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(join(path, '..')), ['gateways.json'])
})

test('a file that others can read or write is refused [GW-055]', async (context) => {
  const path = place(context)
  await store(path)
  for (const mode of [0o640, 0o604, 0o620, 0o602]) {
    chmodSync(path, mode)
    await assert.rejects(readConfig(path), refusedWith('gateway.config_not_private'))
  }
})

test('a file that is not of this client is refused as a whole [GW-055]', async (context) => {
  const path = place(context)
  await store(path)
  const profile = JSON.stringify(office)
  const broken = [
    '',
    '[]',
    '{',
    '{"version":2,"gateways":[]}',
    '{"version":1}',
    `{"version":1,"gateways":[${profile},${profile}]}`,
    `{"version":1,"gateways":[{"name":"a"}]}`,
    profile,
    `{"version":1,"gateways":[${profile.replace('https:', 'http:')}]}`,
  ]
  for (const text of broken) {
    writeFileSync(path, text)
    await assert.rejects(readConfig(path), refusedWith('gateway.config_invalid'), text)
  }
})

test('a change that is refused leaves the file and no lock behind', async (context) => {
  const path = place(context)
  await store(path)
  const before = readFileSync(path, 'utf8')
  await assert.rejects(updateConfig(path, () => assert.fail('changed by another')))
  assert.equal(readFileSync(path, 'utf8'), before)
  assert.ok(!existsSync(`${path}.lock`))
})

test('a folder that cannot be made and a file that cannot be replaced are refusals, and leave no lock', async (context) => {
  const path = place(context)
  const folder = join(path, '..')
  writeFileSync(folder, 'a file where the folder should be')
  const isUnwritable = (error: unknown): boolean =>
    error instanceof ClientError &&
    error.code === 'gateway.ca_profile_update_failed' &&
    error.message.startsWith('The profiles cannot be written: ')
  await assert.rejects(store(path), isUnwritable)
  rmSync(folder)
  const blocked = updateConfig(path, () => {
    mkdirSync(path)
    return { active: undefined, gateways: [] }
  })
  await assert.rejects(blocked, isUnwritable)
  assert.deepEqual(readdirSync(folder), ['gateways.json'])
})

test('two changes at once: one is refused while the other is in progress', async (context) => {
  const path = place(context)
  await store(path)
  writeFileSync(`${path}.lock`, '')
  await assert.rejects(store(path), refusedWith('gateway.ca_profile_update_failed'))
  assert.ok(existsSync(`${path}.lock`))
})
