import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTerminal } from '#/fake-terminal.ts'
import { printAnswer, streamLine } from './answer.ts'

const printed = async (name: string, data: unknown, columns = 100): Promise<string> => {
  const terminal = new FakeTerminal({ columns })
  await printAnswer(name, data, terminal)
  return terminal.outText
}

const nodes = [
  {
    id: 1,
    name: 'gateway',
    status: 'active',
    roles: ['gateway', 'vpn'],
    wireguard_ip: '10.44.0.1',
    platform: 'linux',
    user: 'fleet',
    error_code: null,
  },
  {
    id: 12,
    name: 'wüste-東京',
    status: 'failed',
    roles: [],
    wireguard_ip: null,
    platform: null,
    user: 'fleet',
    error_code: 'node.unreachable',
  },
]

test('a list is a table with the columns that say something', async () => {
  assert.equal(
    await printed('node:list', nodes),
    [
      'ID  NAME        STATUS  ROLES         WIREGUARD IP  PLATFORM  USER   ERROR CODE',
      '1   gateway     active  gateway, vpn  10.44.0.1     linux     fleet  –',
      '12  wüste-東京  failed  –             –             –         fleet  node.unreachable',
      '',
    ].join('\n'),
  )
})

test('a narrow terminal loses the last columns first and cuts the last that fits', async () => {
  assert.equal(
    await printed('node:list', nodes, 40),
    [
      'ID  NAME        STATUS  ROLES',
      '1   gateway     active  gateway, vpn',
      '12  wüste-東京  failed  –',
      '',
    ].join('\n'),
  )
  assert.equal(
    await printed('node:list', nodes, 33),
    [
      'ID  NAME        STATUS  ROLES',
      '1   gateway     active  gateway,…',
      '12  wüste-東京  failed  –',
      '',
    ].join('\n'),
  )
})

test('an empty list says so', async () => {
  assert.equal(await printed('node:list', []), 'Nothing to list.\n')
})

test('a record is aligned; identities read as names, objects and lists stand below their name', async () => {
  const record = {
    id: 7,
    node: { id: 2, name: 'node-1' },
    detached: false,
    domain: null,
    runtime: { name: 'node', version: '26' },
    removal: { status: 'failed', current_step: null, total: 5, error_code: 'node.unreachable' },
    excluded: [
      { project_id: 1, project_slug: 'shop' },
      { project_id: 2, project_slug: 'blog' },
    ],
    root_ca: 'A\nB\n',
  }
  assert.equal(
    await printed('instance:show', record),
    [
      'id        7',
      'node      node-1 (2)',
      'detached  no',
      'domain    –',
      'runtime   name: node, version: 26',
      'removal',
      '  status        failed',
      '  current_step  –',
      '  total         5',
      '  error_code    node.unreachable',
      'excluded',
      '  - project_id    1',
      '    project_slug  shop',
      '',
      '  - project_id    2',
      '    project_slug  blog',
      'root_ca   A',
      '          B',
      '',
    ].join('\n'),
  )
})

test('no stored text can steer the terminal', async () => {
  const text = await printed('node:show', { name: '\u001b[2J\u202eevil\r', many: 'a\n\u0007b' })
  assert.ok(!/\p{Cc}|\p{Bidi_Control}/u.test(text.replaceAll('\n', '')), JSON.stringify(text))
  assert.match(text, /\\u001b\[2J\\u202eevil\\u000d/)
  const table = await printed('project:list', [{ id: 1, slug: 'a\nb\u001b' }])
  assert.match(table, /a\\nb\\u001b/)
})

test('a line of a stream reads in a row', () => {
  assert.equal(streamLine({ step: 'build', ok: true }), 'step=build  ok=yes')
  assert.equal(streamLine({ message: 'done' }), 'done')
})

test('an answer that is nested deeper than the stack is shown in part', async () => {
  const deep: unknown = JSON.parse(`${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`)
  assert.match(await printed('x:show', { id: 1, deep }), /a: …/)
})

test('a record on a narrow terminal continues below its values, and no line is wider', async () => {
  const record = {
    id: 12,
    request_id: '0f9f1f5a-5c0e-4a63-9e0c-0d6c1b1f6a11',
    summary: 'The Node answered and its firewall has been converged again.',
    settings: { apps: { path: '/srv/apps' }, note: 'a text of several words that has no room' },
  }
  assert.equal(
    await printed('node:show', record, 40),
    [
      'id          12',
      'request_id',
      '    0f9f1f5a-5c0e-4a63-9e0c-0d6c1b1f6a11',
      'summary     The Node answered and its',
      '            firewall has been converged',
      '            again.',
      'settings',
      '  apps  path: /srv/apps',
      '  note  a text of several words that has',
      '        no room',
      '',
    ].join('\n'),
  )
  assert.match(await printed('node:show', record, 200), /\nsummary {5}The Node .* again\.\n/)
})
