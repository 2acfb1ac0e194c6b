import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processCreate } from './create.ts'
import { processLogs } from './logs.ts'
import { process, setTwice } from './records.ts'

const GIVEN = { target_type: 'node', target_id: 1, name: 'queue', runtime: 'docker', command: ['/bin/true'] }
const takes = (more: object): boolean => processCreate.input.safeParse({ ...GIVEN, ...more }).success
const many = <T>(count: number, item: T): readonly T[] => Array.from({ length: count }, () => item)
const long = (bytes: number): string => 'é'.repeat(bytes / 2)

test('a command has 1 to 64 arguments of at most 4,096 bytes [PROC-019]', () => {
  assert.ok(takes({ command: many(64, long(4096)) }))
  for (const command of [[], many(65, 'x'), [long(4098)], 'true']) assert.equal(takes({ command }), false)
})

test('names are 1 to 63 lowercase letters, digits and hyphens, and accounts those of Linux but root [PROC-001, PROC-027]', () => {
  for (const name of ['a', '9-', 'x'.repeat(63)]) assert.ok(takes({ name }), name)
  for (const name of ['', 'A', 'a_b', 'a.b', 'x'.repeat(64)]) assert.equal(takes({ name }), false, name)
  for (const user of ['shop', '_a', 'A-1']) assert.ok(takes({ user }), user)
  for (const user of ['root', '0', '-a', '', 'a b', 'x'.repeat(33)])
    assert.equal(takes({ user }), false, user)
})

test('a working directory is absolute, without parents and of at most 4,096 bytes', () => {
  for (const one of ['/', '/srv/a b', '/a..b']) assert.ok(takes({ working_directory: one }), one)
  for (const one of ['srv', '/a/../b', '/..', '', '/a\n', '/a\\', '/a ', `/${'x'.repeat(4096)}`])
    assert.equal(takes({ working_directory: one }), false, one)
})

test('image, variables, ports and volumes of a container have the limits of the contract [PROC-021, PROC-023, PROC-024, PROC-025]', () => {
  assert.ok(
    takes({ image: 'x'.repeat(255), environment: many(100, `A=${long(4094)}`), ports: many(100, '80:80') }),
  )
  for (const port of ['8080:80', '127.0.0.1:8080:80/tcp', '53:53/udp'])
    assert.ok(takes({ ports: [port] }), port)
  for (const port of ['80', '0:80', '80:65536', '256.0.0.1:80:80', '80:80/sctp', 'a:b'])
    assert.equal(takes({ ports: [port] }), false, port)
  for (const more of [
    { image: 'x'.repeat(256) },
    { environment: many(101, 'A=1') },
    { environment: ['A'] },
    { environment: [`A=${long(4096)}`] },
    { ports: many(101, '80:80') },
    { volumes: many(101, { source: '/a', target: '/b' }) },
    { volumes: [{ source: '/a' }] },
    { volumes: [{ source: '/a', target: `/${'x'.repeat(4096)}` }] },
  ])
    assert.equal(takes(more), false, JSON.stringify(more).slice(0, 40))
  assert.ok(takes({ volumes: many(100, { source: '/a', target: '/b', read_only: true }) }))
})

test('connections are slugs with a prefix each, which comes once, and set no variable that is given too', () => {
  for (const connections of [[], ['shop'], ['shop:DB', 'cache:REDIS'], ['a:A', 'a:B'], ['x'.repeat(63)]])
    assert.ok(takes({ connections }), connections.join(' '))
  for (const connections of [
    ['Shop'],
    ['shop:db'],
    ['shop:'],
    ['shop:1'],
    [`shop:${'A'.repeat(33)}`],
    ['x'.repeat(64)],
    ['shop', 'cache'],
    ['shop', 'cache:DB'],
    many(21, 'a').map((slug, at) => `${slug}:P${at}`),
    'shop',
  ])
    assert.equal(takes({ connections }), false, String(connections))
  assert.deepEqual(setTwice(['DB_HOST=a', 'DB_FOREIGN_KEYS=1', 'X_PORT=1'], ['shop', 'cache:X']), [
    'DB_HOST',
    'X_PORT',
  ])
  assert.deepEqual(setTwice(['DB_HOST=a'], ['shop:MAIN']), [])
})

test('a restart policy is one of four and `never` unless one is given, and what is kept alive is a boolean [PROC-004]', () => {
  for (const restart_policy of ['never', 'on-failure', 'always', 'unless-stopped'])
    assert.ok(takes({ restart_policy }))
  assert.equal(takes({ restart_policy: 'sometimes' }), false)
  const { restart_policy, keep_alive } = process.shape
  assert.deepEqual(restart_policy.options, ['never', 'on-failure', 'always', 'unless-stopped'])
  assert.equal(keep_alive.safeParse(null).success, false)
  assert.ok(takes({ keep_alive: true }))
  assert.equal(takes({ keep_alive: 'yes' }), false)
})

test('a plain read of a log has 1 to 1,000 lines and does not follow', () => {
  const reads = (more: object): boolean => processLogs.input.safeParse({ process: 1, ...more }).success
  assert.deepEqual(processLogs.input.parse({ process: 1 }), { process: 1, lines: 100 })
  assert.ok(reads({ lines: 1000 }))
  for (const more of [{ lines: 0 }, { lines: 1001 }, { follow: true }]) assert.equal(reads(more), false)
})
