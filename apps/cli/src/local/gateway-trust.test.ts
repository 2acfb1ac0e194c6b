import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import {
  type ReceivedRequest,
  type HttpsGateway,
  type Reply,
  startHttpsGateway,
} from '@fleet/testing/https-gateway'
import { makePerson, type Person } from '#/run-harness.ts'

const ID = '00000000-0000-4000-8000-000000000001'
const envelope = (data: unknown): Reply => ({ body: { data, meta: { request_id: ID } } })
const rootAnswer = ({ root }: HttpsGateway): Reply =>
  envelope({ root_ca: root().certificate, sha256: root().sha256 })
const start = (
  reply: (asked: ReceivedRequest, gateway: HttpsGateway) => Reply | Promise<Reply> = (_asked, gateway) =>
    rootAnswer(gateway),
): Promise<HttpsGateway> => startHttpsGateway(systemClock, reply)

const profiles = (person: Person): string => join(person.home, '.config/fleet/gateways.json')
const stored = (person: Person): unknown => {
  try {
    return JSON.parse(readFileSync(profiles(person), 'utf8'))
  } catch {
    return undefined
  }
}
const codeOf = (err: string): string | undefined => /(gateway\.\w+)/.exec(err)?.[1]

test('a new gateway is stored after its fingerprint was confirmed and its certificate proven [GW-054]', async () => {
  await using gateway = await start()
  using person = makePerson()
  const { exit, questions, err } = await person.type(['gateway:add', 'office', gateway.url], {
    isTerminal: true,
    typed: ['y'],
  })
  assert.equal(exit, 0, err)
  assert.ok(questions[0]?.replaceAll(' ', '').includes(gateway.root().sha256))
  assert.deepEqual(
    gateway.asked.map(({ url }) => url),
    ['/api/v1/ca/root', '/api/v1/ca/root'],
  )
  assert.deepEqual(stored(person), {
    version: 1,
    active: 'office',
    gateways: [
      { name: 'office', url: gateway.url, pin: gateway.root().sha256, ca: gateway.root().certificate },
    ],
  })
})

test('a fingerprint that is not confirmed stores nothing [GW-054]', async () => {
  await using gateway = await start()
  using person = makePerson()
  const { exit, err } = await person.type(['gateway:add', 'office', gateway.url], {
    isTerminal: true,
    typed: [''],
  })
  assert.equal(exit, 3)
  assert.equal(codeOf(err), 'gateway.ca_pin_invalid')
  assert.equal(stored(person), undefined)
  assert.equal(gateway.asked.length, 1)
})

test('a gateway that is named otherwise than its certificate says so, not that its root is another [GW-054]', async () => {
  await using gateway = await start()
  using person = makePerson()
  const url = gateway.url.replace('127.0.0.1', 'localhost')
  const { exit, err } = await person.type(['gateway:add', 'office', url, '--accept-new'])
  assert.equal(exit, 3)
  assert.equal(codeOf(err), 'gateway.ca_verification_failed')
  assert.match(err, /The certificate of the gateway is not for localhost, but for 127\.0\.0\.1\./)
  assert.match(err, /next +Use one of its names, or add localhost to FLEET_GATEWAY_NAMES/)
  assert.equal(stored(person), undefined)
})

test('without a person the fingerprint must be given, and be right [GW-054]', async () => {
  await using gateway = await start()
  using person = makePerson()
  const add = (...words: readonly string[]) => person.type(['gateway:add', 'office', gateway.url, ...words])
  assert.equal(codeOf((await add()).err), 'gateway.ca_pin_invalid')
  assert.equal(codeOf((await add('--fingerprint', 'ab'.repeat(32))).err), 'gateway.ca_pin_invalid')
  assert.equal((await add('--fingerprint', 'short')).exit, 2)
  assert.equal(stored(person), undefined)
  assert.equal((await add('--fingerprint', gateway.root().sha256)).exit, 0)
})

test('the root certificate is not fetched over a redirect [GW-003, GW-054]', async () => {
  await using gateway = await start((asked, self) =>
    asked.url === '/api/v1/ca/root'
      ? { status: 302, headers: { location: '/elsewhere' }, body: '' }
      : rootAnswer(self),
  )
  using person = makePerson()
  const { exit, err } = await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  assert.equal(exit, 3)
  assert.equal(codeOf(err), 'gateway.ca_fetch_failed')
  assert.equal(gateway.asked.length, 1)
})

test('a certificate that the connection does not prove is not trusted [GW-054]', async () => {
  await using other = await start()
  await using gateway = await start(() => rootAnswer(other))
  using person = makePerson()
  const { exit, err } = await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  assert.equal(exit, 3)
  assert.equal(codeOf(err), 'gateway.ca_verification_failed')
  assert.equal(stored(person), undefined)
})

test('a gateway without a usable root certificate is reported by code [GW-055]', async () => {
  const answers: ReadonlyArray<readonly [Reply, string]> = [
    [{ status: 503, body: { error: { code: 'ca.unavailable', message: 'No.' } } }, 'gateway.ca_unavailable'],
    [{ status: 200, body: '<html>' }, 'gateway.ca_fetch_failed'],
    [envelope({ root_ca: 'no PEM', sha256: '' }), 'gateway.ca_invalid'],
    [envelope({}), 'gateway.ca_invalid'],
  ]
  for (const [reply, code] of answers) {
    await using gateway = await start(() => reply)
    using person = makePerson()
    assert.equal(
      codeOf((await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])).err),
      code,
    )
  }
})

test('a fingerprint that does not belong to the certificate is refused [GW-055]', async () => {
  await using gateway = await start((_asked, { root }) =>
    envelope({ root_ca: root().certificate, sha256: 'ab'.repeat(32) }),
  )
  using person = makePerson()
  assert.equal(
    codeOf((await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])).err),
    'gateway.ca_invalid',
  )
})

test('a second certificate beside the root is not smuggled in', async () => {
  await using other = await start()
  await using gateway = await start((_asked, { root }) =>
    envelope({ root_ca: root().certificate + other.root().certificate, sha256: root().sha256 }),
  )
  using person = makePerson()
  assert.equal(
    codeOf((await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])).err),
    'gateway.ca_invalid',
  )
})

test('a changed root certificate stops every command until the change is accepted [GW-056]', async () => {
  await using gateway = await start()
  using person = makePerson()
  await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  const first = stored(person)
  const next = await gateway.swapRoot()
  assert.equal(codeOf((await person.type(['node:list'])).err), 'gateway.ca_verification_failed')
  const refused = await person.type(['gateway:trust', 'office', '--accept-new'])
  assert.equal(refused.exit, 3)
  assert.equal(codeOf(refused.err), 'gateway.ca_changed')
  assert.deepEqual(stored(person), first)
  const unconfirmed = await person.type(['gateway:trust', 'office', '--accept-change'])
  assert.equal(codeOf(unconfirmed.err), 'gateway.ca_pin_invalid')
  const accepted = await person.type([
    'gateway:trust',
    'office',
    '--accept-change',
    '--fingerprint',
    next.sha256,
  ])
  assert.equal(accepted.exit, 0, accepted.err)
  assert.ok(JSON.stringify(stored(person)).includes(next.sha256))
})

test('a profile that changed in the meantime is not overwritten [GW-054]', async () => {
  using person = makePerson()
  let meanwhile: string | undefined
  await using gateway = await start((_asked, self) => {
    if (meanwhile !== undefined) writeFileSync(profiles(person), meanwhile)
    return rootAnswer(self)
  })
  await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  const before = readFileSync(profiles(person), 'utf8')
  for (const change of [
    before.replace(gateway.root().sha256, 'cd'.repeat(32)),
    before.replace(gateway.url, 'https://10.0.0.9'),
    before.replace('"name": "office"', '"name": "other"'),
  ]) {
    writeFileSync(profiles(person), before)
    meanwhile = change
    const { exit, err } = await person.type(['gateway:trust', 'office'])
    meanwhile = undefined
    assert.notEqual(exit, 0)
    assert.equal(codeOf(err), 'gateway.ca_profile_update_failed')
    assert.equal(readFileSync(profiles(person), 'utf8'), change)
  }
})

test('profiles are listed, chosen and forgotten; the active one only by force [GW-055]', async () => {
  await using gateway = await start()
  using person = makePerson()
  await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  await person.type(['gateway:add', 'lab', gateway.url, '--accept-new'])
  assert.match(
    (await person.type(['gateway:list'])).out,
    /NAME {4}ACTIVE {2}URL[^\n]*\noffice {2}yes[^\n]*\nlab {5}no/,
  )
  assert.equal(codeOf((await person.type(['gateway:remove', 'office'])).err), 'gateway.profile_active')
  assert.equal((await person.type(['gateway:use', 'lab'])).exit, 0)
  const embedded = await person.type(['gateway:use', 'embedded'])
  assert.deepEqual(
    [embedded.exit, embedded.err.startsWith('Commands now use the embedded fleet of /')],
    [0, true],
  )
  assert.match((await person.type(['gateway:list'])).out, /\nlab {5}no/)
  assert.equal((await person.type(['gateway:use', 'lab'])).exit, 0)
  assert.equal((await person.type(['gateway:remove', 'office'])).exit, 0)
  assert.equal(codeOf((await person.type(['gateway:use', 'office'])).err), 'gateway.profile_not_found')
  assert.equal((await person.type(['gateway:remove', 'lab', '--force'])).exit, 0)
  assert.equal((await person.type(['gateway:list'])).out, 'Nothing to list.\n')
})

test('a name in use for another URL is not taken over [GW-055]', async () => {
  await using gateway = await start()
  using person = makePerson()
  await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  const { exit, err } = await person.type(['gateway:add', 'office', 'https://10.0.0.9', '--accept-new'])
  assert.equal(exit, 2)
  assert.equal(codeOf(err), 'gateway.profile_invalid')
})
