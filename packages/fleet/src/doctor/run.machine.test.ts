import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doctorCodes, doctorFamilies, fail } from '@fleet/contract'
import { SshFailure } from '@fleet/ssh'
import { addGrant, addNode } from '@fleet/testing'
import { doctorWorld, part } from '#/doctor/world.test.ts'
import { asked, type CheckedResource, driven, nodeResource, type Question, stored } from '#/nodes/api.ts'

const wrong = { expected: 'active', observed: 'failed' }
const hostname: Question<string> = {
  source: 'echo "$1"',
  args: ['web'],
  read: ({ exitCode, text }) => (exitCode === 0 && /^[a-z]+$/.test(text) ? text : undefined),
}
const role = (id: number, name: string): CheckedResource => ({ type: 'role', id, name })

test('a healthy fleet is healthy in every family, in the order of the report [DRF-005, DRF-006, DRF-007, DRF-008, DRF-011]', async () => {
  await using world = await doctorWorld([
    part('firewall', (node) => [
      stored('firewall.lifecycle_not_active', nodeResource(node), () => undefined),
    ]),
    part('node', (node) => [asked('node.disk_low', nodeResource(node), hostname, () => undefined)]),
  ])
  const report = await world.report()
  assert.deepEqual(report.summary, { nodes: 1, families: 10, checks: 3, drift: 0, unverifiable: 0 })
  assert.equal(report.healthy, true)
  assert.deepEqual(Object.keys(report.nodes[0] ?? {}), ['node_id', 'node_name', 'healthy', 'families'])
  const inspected = ['node', 'firewall']
  assert.deepEqual(
    report.nodes[0]?.families.map(({ family, status }) => [family, status]),
    doctorFamilies.map((family) => [family, inspected.includes(family) ? 'healthy' : 'not_inspected']),
  )
})

test('a Node of which nothing was inspected is not healthy, though nothing is wrong', async () => {
  await using world = await doctorWorld([])
  const { healthy, summary, nodes } = await world.report({ families: ['route'] })
  assert.deepEqual([healthy, summary.checks, summary.drift, summary.unverifiable], [false, 0, 0, 0])
  assert.deepEqual(nodes[0]?.families, [{ family: 'route', status: 'not_inspected', checked: 0, issues: [] }])
})

test('a Node without anything to inspect does not make the others unhealthy', async () => {
  await using world = await doctorWorld([
    part('route', (node) =>
      node.name === 'web' ? [stored('route.lifecycle_not_active', nodeResource(node), () => undefined)] : [],
    ),
  ])
  await world.node('web')
  const { healthy, nodes } = await world.report({ families: ['route'] })
  assert.deepEqual(
    nodes.map((node) => [node.node_name, node.healthy]),
    [
      [world.gateway.name, false],
      ['web', true],
    ],
  )
  assert.equal(healthy, true)
})

const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
const silences = [
  [new SshFailure('unreachable', false, refused), 'node.ssh_connection_refused', 'connection refused'],
  [new SshFailure('authentication', false), 'node.ssh_key_refused', 'gateway key refused'],
  [new SshFailure('host_key_changed', false), 'node.ssh_host_key_changed', 'other host key'],
] as const
for (const [failure, code, observed] of silences) {
  test(`a Node that takes no command: ${observed} is ${code}, with its own next step`, async () => {
    await using world = await doctorWorld([
      part('node', (node) => [asked('node.disk_low', nodeResource(node), hostname, () => undefined)]),
      part('role', () => [asked('role.vpn_inactive', role(1, 'vpn'), hostname, () => undefined)]),
    ])
    world.dead.set(world.gateway.wireguard_ip ?? '', failure)
    const { nodes } = await world.report({ families: ['node', 'role'] })
    assert.deepEqual(
      nodes[0]?.families.map(({ status, issues }) => [status, issues.map((one) => [one.code, one.observed])]),
      [
        ['unverifiable', [[code, observed]]],
        ['unverifiable', [['role.node_unreachable', observed]]],
      ],
    )
    assert.notEqual(doctorCodes[code].repair, doctorCodes['node.ssh_unreachable'].repair)
  })
}

test('Nodes come by name, resources by id, and only Nodes that the caller may address [DRF-004, DRF-012]', async () => {
  await using world = await doctorWorld([
    part('role', () => [
      stored('role.claim_stale', role(9, 'vpn'), () => wrong),
      stored('role.claim_stale', role(2, 'app-dev'), () => wrong),
      stored('role.singleton_conflict', role(2, 'app-dev'), () => wrong),
    ]),
  ])
  for (const name of ['web-2', 'web-1']) await world.node(name)
  await addNode(world.fleet.store, { name: 'stranger' })
  const report = await world.report({ families: ['role'] })
  assert.deepEqual(
    report.nodes.map((node) => node.node_name),
    ['gateway', 'web-1', 'web-2'],
  )
  assert.deepEqual(
    report.nodes[0]?.families[0]?.issues.map(({ resource_id }) => resource_id),
    [2, 2, 9],
  )
})

test('an issue says what it is about, what was expected and what was seen [DRF-009]', async () => {
  await using world = await doctorWorld([
    part('node', (node) => [
      asked('node.architecture_mismatch', nodeResource(node), hostname, (observed) => ({
        expected: 'x',
        observed,
      })),
    ]),
  ])
  const { nodes, healthy, summary } = await world.report({ node_id: world.gateway.id })
  assert.deepEqual([healthy, summary.drift], [false, 1])
  assert.deepEqual(nodes[0]?.families[0], {
    family: 'node',
    status: 'drift',
    checked: 2,
    issues: [
      {
        code: 'node.architecture_mismatch',
        kind: 'drift',
        resource_type: 'node',
        resource_id: world.gateway.id,
        resource_name: 'gateway',
        summary: 'The architecture of the machine differs from the record.',
        expected: 'x',
        observed: 'web',
      },
    ],
  })
})

test('everything that is asked of a Node goes in one round trip, the same question once', async () => {
  const other: Question<string> = { ...hostname, args: ['other'] }
  await using world = await doctorWorld([
    part('node', (node) => [
      asked('node.disk_low', nodeResource(node), hostname, () => undefined),
      asked('node.platform_mismatch', nodeResource(node), hostname, () => undefined),
    ]),
    part('role', () => [asked('role.vpn_inactive', role(1, 'vpn'), other, () => undefined)]),
  ])
  assert.equal((await world.report()).summary.checks, 4)
  assert.deepEqual(world.pool.executed, ["script 'inspect the machine' (2 questions)"])
})

test('for a Node that does not answer the records are checked, and each live family says so once [DRF-013, DRF-017]', async () => {
  await using world = await doctorWorld([
    part('node', (node) => [
      stored('node.lifecycle_not_active', nodeResource(node), () => wrong),
      asked('node.disk_low', nodeResource(node), hostname, () => undefined),
    ]),
    part('role', () => [
      asked('role.vpn_inactive', role(1, 'vpn'), hostname, () => undefined),
      driven('role.dns_projection_mismatch', role(2, 'gateway'), async () => undefined),
    ]),
    part('firewall', (node) => [
      stored('firewall.lifecycle_not_active', nodeResource(node), () => undefined),
    ]),
  ])
  world.dead.set(world.gateway.wireguard_ip ?? '', new SshFailure('unreachable', false))
  const { nodes, summary } = await world.report()
  const codes = nodes[0]?.families.map(({ issues }) => issues.map(({ code, kind }) => `${code} ${kind}`))
  assert.deepEqual(codes, [
    ['node.lifecycle_not_active drift', 'node.ssh_unreachable unverifiable'],
    ['role.node_unreachable unverifiable'],
    ...Array.from({ length: 8 }, () => []),
  ])
  assert.deepEqual([summary.drift, summary.unverifiable, world.pool.executed.length], [1, 2, 0])
  assert.deepEqual(
    nodes[0]?.families.slice(0, 2).map(({ status }) => status),
    ['drift', 'unverifiable'],
  )
})

test('a Node about which only records are checked is not connected to [DRF-028]', async () => {
  await using world = await doctorWorld([
    part('node', (node) => [stored('node.lifecycle_not_active', nodeResource(node), () => undefined)]),
  ])
  const { nodes } = await world.report()
  assert.deepEqual([nodes[0]?.families[0]?.checked, world.probes.length], [1, 0])
})

test('a Node that goes away in the middle is reported like one that never answered, a slow one as unverifiable [DRF-013, DRF-027]', async () => {
  await using world = await doctorWorld([
    part('node', (node) => [asked('node.disk_low', nodeResource(node), hostname, () => undefined)]),
  ])
  const codes = async () =>
    (await world.report({ families: ['node'] })).nodes[0]?.families[0]?.issues.map(({ code }) => code)
  world.pool.failBefore(1, 'connection_lost')
  assert.deepEqual(await codes(), ['node.ssh_unreachable'])
  world.pool.failBefore(2, 'timeout')
  assert.deepEqual(await codes(), ['node.inspection_failed'])
})

test('what a Node answered before its time was over is judged, and the rest is unverifiable [DRF-027]', async () => {
  await using world = await doctorWorld([
    part('node', (node) => [
      asked('node.disk_low', nodeResource(node), hostname, (observed) => ({ expected: '1', observed })),
    ]),
    part('role', () => [
      asked('role.vpn_inactive', role(1, 'vpn'), { source: 'kill -9 "$$"', read: () => '' }, () => undefined),
    ]),
  ])
  world.pool.loseReplyOf(() => true, 'timeout')
  const { nodes } = await world.report({ families: ['node', 'role'] })
  assert.deepEqual(
    nodes[0]?.families.map(({ issues }) => issues.map(({ code, observed }) => [code, observed])),
    [[['node.disk_low', 'web']], [['role.inspection_failed', 'command.deadline_exceeded']]],
  )
})

test('what a request changed while the Node was asked is no difference, and one that stays is asked for once', async () => {
  const recorded = { name: 'old', other: 'kept', ids: [1, 2, 3] }
  const named: Question<string> = {
    ...hostname,
    read: (printed) => {
      // A request ends after the records were read.
      Object.assign(recorded, { name: 'web', ids: [1, 2, 4] })
      return hostname.read(printed)
    },
  }
  const differs = (id: number, expected: string) =>
    asked('role.vpn_inactive', role(id, 'vpn'), { ...named }, (observed) =>
      expected === observed ? undefined : { expected, observed },
    )
  await using world = await doctorWorld([
    part('role', () =>
      recorded.ids.flatMap((id) => [
        differs(id, id === 1 ? recorded.name : recorded.other),
        differs(id, id === 1 ? 'web' : 'twice'),
      ]),
    ),
  ])
  const { nodes } = await world.report({ families: ['role'] })
  assert.deepEqual(
    nodes[0]?.families[0]?.issues.map(({ resource_id: id, expected }) => [id, expected]),
    [
      [2, 'kept'],
      [2, 'twice'],
    ],
  )
  assert.deepEqual(world.pool.executed, ["script 'inspect the machine' (6 questions)"])
})

test('an answer that is too large blinds the checks that read it alone', async () => {
  const lines = (count: number): Question<string> => ({
    source: `yes 'a line of sixteen' | head -n ${count}`,
    read: ({ text }) => String(text.split('\n').length),
  })
  const check = (id: number, count: number) =>
    asked('role.vpn_inactive', role(id, 'vpn'), lines(count), (observed) => ({ expected: null, observed }))
  await using world = await doctorWorld([
    part('role', () => [check(1, 60_000), check(2, 600_000), check(3, 3)]),
  ])
  const { nodes } = await world.report({ families: ['role'] })
  assert.deepEqual(
    nodes[0]?.families[0]?.issues.map(({ code, resource_id: id, observed }) => [code, id, observed]),
    [
      ['role.vpn_inactive', 1, '60000'],
      ['role.inspection_failed', 2, 'node.output_too_large'],
      ['role.vpn_inactive', 3, '3'],
    ],
  )
})

test('checks that cannot be made say so once for a resource, whatever broke [DRF-027]', async () => {
  const silent: Question<string> = {
    source: 'exit 1',
    read: ({ exitCode }) => (exitCode === 0 ? '' : undefined),
  }
  await using world = await doctorWorld([
    part('node', (node) => [
      asked('node.disk_low', nodeResource(node), silent, () => undefined),
      asked('node.platform_mismatch', nodeResource(node), silent, () => undefined),
      asked('node.wireguard_ip_mismatch', nodeResource(node), hostname, () => ({
        expected: '1',
        observed: '2',
      })),
    ]),
    part('role', () => [
      driven('role.vpn_inactive', role(1, 'vpn'), () => Promise.reject(new Error('with a secret'))),
      driven('role.dns_projection_mismatch', role(2, 'gateway'), () =>
        Promise.reject(fail('command.deadline_exceeded')),
      ),
      stored('role.claim_stale', role(3, 'database'), () => ({ unverifiable: 'building' })),
    ]),
  ])
  const { nodes, summary } = await world.report({ families: ['node', 'role'] })
  assert.deepEqual(
    nodes[0]?.families.map(({ issues }) =>
      issues.map(({ code, resource_id, observed }) => [code, resource_id, observed]),
    ),
    [
      [
        ['node.inspection_failed', world.gateway.id, 'no answer'],
        ['node.wireguard_ip_mismatch', world.gateway.id, '2'],
      ],
      [
        ['role.inspection_failed', 1, 'check failed'],
        ['role.inspection_failed', 2, 'command.deadline_exceeded'],
        ['role.inspection_failed', 3, 'building'],
      ],
    ],
  )
  assert.deepEqual([summary.drift, summary.unverifiable], [1, 4])
  assert.deepEqual(world.call.logged, ['a check broke'])
})

test('records that make no sense are one unverifiable issue, and nothing else is lost [DRF-027]', async () => {
  await using world = await doctorWorld([
    {
      family: 'role',
      checksOf: (_call, { name }) =>
        name === 'web-1' ? Promise.reject(fail('vpn.configuration_invalid')) : Promise.resolve([]),
    },
    part('role', () => [stored('role.claim_stale', role(3, 'database'), () => wrong)]),
  ])
  await world.node('web-1')
  const { nodes } = await world.report({ families: ['role'] })
  assert.deepEqual(
    nodes.map((node) => node.families[0]?.issues.map(({ code, observed }) => `${code} ${observed}`)),
    [
      ['role.claim_stale failed'],
      ['role.inspection_failed vpn.configuration_invalid', 'role.claim_stale failed'],
    ],
  )
})

test('nothing that a machine printed, no path and no URL gets into a report [DRF-014]', async () => {
  const shadow: Question<string> = { source: 'echo /etc/shadow https://token@host', read: ({ text }) => text }
  await using world = await doctorWorld([
    part('node', (node) => [
      asked('node.disk_low', nodeResource(node), shadow, (observed) => ({ expected: observed, observed })),
    ]),
  ])
  const report = JSON.stringify(await world.report())
  assert.doesNotMatch(report, /\/etc|https:|token/)
  assert.match(report, /"observed":"withheld"/)
})

test('only the wanted families are looked at, and an unknown Node is none', async () => {
  await using world = await doctorWorld([
    part('node', () => {
      throw new Error('not wanted')
    }),
  ])
  const report = await world.report({ families: ['route', 'role', 'role'] })
  assert.deepEqual(
    report.nodes[0]?.families.map(({ family }) => family),
    ['role', 'route'],
  )
  assert.equal(report.summary.families, 2)
  await assert.rejects(world.report({ node_id: 99_999 }), { code: 'node.not_found' })
})

test('of the Nodes of an embedded fleet only the records are checked', async () => {
  await using world = await doctorWorld([
    part('node', (node) => [
      stored('node.lifecycle_not_active', nodeResource(node), () => undefined),
      asked('node.disk_low', nodeResource(node), hostname, () => wrong),
    ]),
  ])
  await addNode(world.fleet.store, { name: 'embedded', wireguard_ip: '127.44.0.2' }).then((node) =>
    addGrant(world.fleet.store, world.gateway, node),
  )
  const { nodes } = await world.report({ families: ['node'] })
  assert.deepEqual(
    nodes.map((node) => [node.node_name, node.families[0]?.checked]),
    [
      ['embedded', 1],
      ['gateway', 3],
    ],
  )
})

test('Doctor changes no record [DRF-002]', async () => {
  await using world = await doctorWorld([
    part('node', (node) => [stored('node.lifecycle_not_active', nodeResource(node), () => wrong)]),
  ])
  const all = () => world.fleet.store.db.selectFrom('nodes').selectAll().orderBy('id').execute()
  const before = await all()
  await world.report()
  assert.deepEqual(await all(), before)
})
