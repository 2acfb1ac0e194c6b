import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { LOG_READ_MAX_BYTES, type NodeStatus } from '@fleet/contract'
import { fakeCall, localPool, localSession, nodeRecord } from '@fleet/testing'
import { makeInstanceLogs } from '#/logs/read.ts'
import { instanceOf } from '#/logs/world.test.ts'

/** An Instance whose checkout is a folder of this machine, with its logs. */
function checkoutWith(
  context: TestContext,
  stored: Readonly<Record<string, string>> = {},
  status: NodeStatus = 'active',
) {
  const home = mkdtempSync(join(tmpdir(), 'fleet-logs-'))
  context.after(() => rmSync(home, { recursive: true, force: true }))
  const pool = localPool({ home })
  const logs = join(home, 'checkout', 'api', 'storage', 'logs')
  const node = { ...nodeRecord({ id: 7, status }), activeRoles: [] }
  const record = instanceOf({ name: 'feature', checkout_path: join(home, 'checkout'), node })
  const read = makeInstanceLogs({
    instances: { find: async (id) => (id === 5 ? record : undefined) },
    environment: { stored: async () => new Map(Object.entries(stored)) },
    nodes: {
      find: async () => node,
      mayActOn: async () => true,
      sessions: {
        overTunnel: (call) => localSession(pool, { node, call }),
        overPublicSsh: () => assert.fail('not over public SSH'),
      },
    },
  })
  mkdirSync(logs, { recursive: true })
  return {
    home,
    put: (name: string, text: string) => writeFileSync(join(logs, name), text),
    link: (name: string, to: string) => symlinkSync(to, join(logs, name)),
    remove: () => rmSync(logs, { recursive: true }),
    pool,
    read: async (lines = 100, instance = 5) =>
      (await read({ call: fakeCall(), input: { instance, lines } })).data,
  }
}

test('instance:logs answers the last lines of the framework log [INS-123, INS-124]', async (context) => {
  const at = checkoutWith(context)
  at.put('laravel.log', 'one\ntwo\nthree\n')
  at.put('laravel-2026-11-21.log', 'other\n')
  assert.deepEqual(await at.read(2), { id: 5, name: 'feature', lines: 2, logs: 'two\nthree' })
  assert.equal((await at.read()).logs, 'one\ntwo\nthree')
})

test('in production the log of the selected release is read, as the user of the Instance; without a release there is none [INS-124]', async (context) => {
  const home = mkdtempSync(join(tmpdir(), 'fleet-logs-'))
  context.after(() => rmSync(home, { recursive: true, force: true }))
  for (const release of ['initial', '20260101-120000', '20260102-120000']) {
    const logs = join(home, 'releases', release, 'api/storage/logs')
    mkdirSync(logs, { recursive: true })
    writeFileSync(join(logs, 'laravel.log'), `of ${release}\n`)
  }
  const session = localSession(localPool({ home }))
  const users: string[] = []
  const read = async (selected_release: string | null) => {
    const record = instanceOf({
      name: 'live',
      environment: 'production',
      checkout_path: join(home, 'releases/initial'),
      production_home: home,
      production_user: 'shop-live',
      selected_release,
      node: { ...nodeRecord({ id: 7 }), activeRoles: [] },
    })
    const answer = makeInstanceLogs({
      instances: { find: async () => record },
      environment: { stored: async () => new Map() },
      nodes: {
        find: async () => record.node,
        mayActOn: async () => true,
        sessions: {
          overTunnel: () => ({ ...session, as: (user) => (users.push(user), session) }),
          overPublicSsh: () => assert.fail('not over public SSH'),
        },
      },
    })
    return (await answer({ call: fakeCall(), input: { instance: 5, lines: 10 } })).data.logs
  }
  assert.equal(await read('20260102-120000'), 'of 20260102-120000')
  assert.deepEqual(users, ['shop-live'])
  assert.equal(await read(null), '')
  assert.deepEqual(users, ['shop-live'])
})

test('lines come without their endings, and what has the shape of a credential is masked [INS-123, GW-025]', async (context) => {
  const at = checkoutWith(context)
  at.put(
    'laravel.log',
    'one\r\nto https://me:pass@db.test/\r\nAuthorization: Bearer abcdef.123456\n{"api_token":"x y"} end\r\n',
  )
  assert.equal(
    (await at.read()).logs,
    'one\nto https://me:[REDACTED]@db.test/\nAuthorization: Bearer [REDACTED]\n{"api_token":[REDACTED]} end',
  )
})

test('without the file the newest dated one is read, without any the log is empty [INS-124]', async (context) => {
  const at = checkoutWith(context)
  assert.equal((await at.read()).logs, '')
  at.put('laravel-2026-09-30.log', 'older\n')
  at.put('laravel-2026-10-01.log', 'newest\n')
  at.put('laravel-notes.log', 'no\n')
  at.put('other.log', 'no\n')
  assert.equal((await at.read()).logs, 'newest')
  at.remove()
  assert.equal((await at.read()).logs, '')
})

test('a log of as many bytes as may be read is read whole [INS-123]', async (context) => {
  const at = checkoutWith(context)
  const line = 'x'.repeat(LOG_READ_MAX_BYTES / 4 - 1)
  at.put('laravel.log', `${line}\n`.repeat(4))
  assert.equal((await at.read()).logs.length, LOG_READ_MAX_BYTES - 1)
})

test('a link is no log', async (context) => {
  const at = checkoutWith(context)
  at.put('secret.txt', 'secret\n')
  at.link('laravel.log', 'secret.txt')
  at.link('laravel-2026-10-01.log', 'secret.txt')
  assert.equal((await at.read()).logs, '')
})

test("a linked folder on the path of a log, or a linked checkout, does not lead to another Instance's log", async (context) => {
  for (const linked of ['checkout', 'checkout/api', 'checkout/api/storage', 'checkout/api/storage/logs']) {
    const at = checkoutWith(context)
    at.put('laravel.log', 'of another Instance\n')
    renameSync(join(at.home, linked), join(at.home, 'elsewhere'))
    symlinkSync(join(at.home, 'elsewhere'), join(at.home, linked))
    assert.equal((await at.read()).logs, '', linked)
  }
})

test('of a long log at most 4 MiB of whole lines are read [INS-124]', async (context) => {
  const at = checkoutWith(context)
  at.put('laravel.log', `${'x'.repeat(9999)}\n`.repeat(1000))
  const { logs } = await at.read(1000)
  const lines = logs.split('\n')
  assert.equal(lines.length, Math.floor((4 * 1024 * 1024) / 10_000))
  assert.ok(lines.every((line) => line.length === 9999))
})

test('stored values and PEM blocks are masked [INS-123]', async (context) => {
  const at = checkoutWith(context, { API_TOKEN: 'tok-0123456789', APP_ENV: 'production' })
  at.put(
    'laravel.log',
    [
      'production tok-0123456789',
      'key -----BEGIN PRIVATE KEY-----',
      'MIIEvQ',
      '-----END PRIVATE KEY----- done',
      'a -----BEGIN X-----y-----END X----- b',
    ].join('\n'),
  )
  assert.deepEqual((await at.read()).logs.split('\n'), [
    'production [REDACTED]',
    'key [REDACTED]',
    '[REDACTED]',
    '[REDACTED] done',
    'a [REDACTED] b',
  ])
})

test('the last lines show nothing of a key that begins above them, or above all that is read [INS-123, GW-025]', async (context) => {
  const at = checkoutWith(context)
  const key = [
    '-----BEGIN PRIVATE KEY-----',
    ...Array.from({ length: 25 }, () => 'MIIEvQ'),
    '-----END PRIVATE KEY-----',
  ]
  at.put('laravel.log', ['before', ...key, ''].join('\n'))
  assert.equal((await at.read(10)).logs, Array.from({ length: 10 }, () => '[REDACTED]').join('\n'))
  const after = 'x'.repeat(LOG_READ_MAX_BYTES - 100)
  at.put('laravel.log', ['before', ...key, after, ''].join('\n'))
  const { logs } = await at.read(1000)
  assert.ok(
    !logs.includes('MII') && !logs.includes('before') && logs.includes('REDACTED') && logs.endsWith(after),
  )
})

test('a block without an end is masked for 200 lines', async (context) => {
  const at = checkoutWith(context)
  at.put('laravel.log', ['-----BEGIN KEY-----', ...Array.from({ length: 300 }, () => 'line')].join('\n'))
  const lines = (await at.read(1000)).logs.split('\n')
  assert.deepEqual([lines.length, lines.indexOf('line'), lines.lastIndexOf('[REDACTED]')], [301, 200, 199])
})

test('an unknown Instance and an inactive Node are refused', async (context) => {
  const at = checkoutWith(context)
  await assert.rejects(at.read(1, 6), { code: 'instance.not_found', status: 404 })
  const inactive = checkoutWith(context, {}, 'failed')
  await assert.rejects(inactive.read(), { code: 'node.not_active', status: 409 })
})
