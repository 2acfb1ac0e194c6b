import assert from 'node:assert/strict'
import { fail } from '@fleet/contract'
import { fakeCall, forEachDialect } from '@fleet/testing'
import type { DialectName } from '@fleet/store'
import { callersQuestion } from '#/firewall/commands/limit-callers.ts'
import { type FirewallWorld, startFirewallWorld } from '#/firewall/world.test.ts'

const GATEWAY = '10.44.0.1'

async function started(dialect: DialectName) {
  const world = await startFirewallWorld(dialect)
  const node = await world.addMachine()
  const shown = async () =>
    (await world.nodes.handlers['node:show']({ call: fakeCall(), input: { node: node.id } })).data.callers
  return { world, node, shown }
}

const limit = ({ domain }: FirewallWorld, node: number, accounts: string[] | null) =>
  domain.handlers['node:firewall:callers']({
    call: fakeCall({ operation: 'node:firewall:callers' }),
    input: { node, accounts },
  })

forEachDialect(
  'callers of a Node are limited to accounts, shown with it, and free again',
  async (dialect) => {
    const { world, node, shown } = await started(dialect)
    await using _ = world
    assert.equal(await shown(), null)
    for (const accounts of [['deploy', 'ops'], ['deploy'], ['deploy'], []]) {
      const { data } = await limit(world, node.id, accounts)
      assert.deepEqual(data, { node_id: node.id, accounts })
      assert.deepEqual(await shown(), accounts)
      assert.deepEqual(world.ufw.limit, { gateway: GATEWAY, accounts })
    }
    await limit(world, node.id, null)
    assert.deepEqual([await shown(), world.ufw.limit], [null, undefined])
  },
)

forEachDialect(
  'an account that the machine does not know is refused, and the limit stays',
  async (dialect) => {
    const { world, node, shown } = await started(dialect)
    await using _ = world
    await limit(world, node.id, ['ops'])
    world.ufw.unknownAccounts = ['nobody2']
    await assert.rejects(limit(world, node.id, ['nobody2', 'ops']), ({ code, details, status }) => {
      assert.deepEqual([code, status, details.accounts], ['firewall.account_unknown', 422, ['nobody2']])
      return true
    })
    assert.deepEqual([await shown(), world.ufw.limit?.accounts], [['ops'], ['ops']])
  },
)

const FAULTS: ReadonlyArray<readonly [string, ReturnType<typeof fail>, string, string[] | null]> = [
  ['does not answer', fail('node.unreachable'), 'firewall.node_unreachable', null],
  // The script may have been sent.
  ['goes away', fail('node.connection_lost'), 'firewall.node_unreachable', ['ops']],
  [
    'takes too long',
    fail('command.deadline_exceeded', { details: { outcome: 'timeout' } }),
    'firewall.node_unreachable',
    ['ops'],
  ],
  ['has no nftables', fail('node.capability_missing'), 'node.capability_missing', null],
  // The machine may have a part of it: the record says what Doctor is to compare.
  ['cannot load the rule', fail('firewall.apply_failed'), 'firewall.apply_failed', ['ops']],
  ['does not show the rule', fail('firewall.verify_failed'), 'firewall.verify_failed', ['ops']],
]
for (const [what, error, code, stored] of FAULTS)
  forEachDialect(`a machine that ${what} refuses the limit with ${code}`, async (dialect) => {
    const { world, node, shown } = await started(dialect)
    await using _ = world
    world.ufw.limitError = error
    await assert.rejects(limit(world, node.id, ['ops']), { code })
    assert.deepEqual(await shown(), stored)
    world.ufw.limitError = undefined
    await limit(world, node.id, ['ops'])
    assert.deepEqual(await shown(), ['ops'])
    world.ufw.limitError = error
    await assert.rejects(limit(world, node.id, null), { code })
    assert.deepEqual(await shown(), ['ops'])
  })

forEachDialect(
  'a limit that no record knows is lifted, and a removal of the Node lifts it',
  async (dialect) => {
    const { world, node, shown } = await started(dialect)
    await using _ = world
    const session = world.nodes.nodes.sessions.overTunnel(fakeCall(), await world.record(node))
    for (const lift of [
      () => limit(world, node.id, null),
      () => world.domain.firewall.onNodes.freeCallers(session),
    ]) {
      world.ufw.limit = { gateway: GATEWAY, accounts: ['ops'] }
      await lift()
      assert.deepEqual([await shown(), world.ufw.limit], [null, undefined])
    }
  },
)

forEachDialect(
  'a Node that is unknown, not active, without a firewall of the fleet or busy is refused',
  async (dialect) => {
    const { world, node } = await started(dialect)
    await using _ = world
    await assert.rejects(limit(world, 999, []), { code: 'node.not_found' })
    const failed = await world.addMachine({ status: 'failed', wireguard_ip: '10.44.0.12' })
    await assert.rejects(limit(world, failed.id, []), { code: 'node.not_active' })
    const mac = await world.addMachine({ platform: 'macos', wireguard_ip: '10.44.0.13' })
    await assert.rejects(limit(world, mac.id, []), { code: 'firewall.platform_unsupported' })
    const embedded = await world.addMachine({ wireguard_ip: '127.44.0.11' })
    await assert.rejects(limit(world, embedded.id, []), { code: 'node.capability_missing' })
    assert.deepEqual(world.ufw.asked, [])
    assert.ok(node)
  },
)

forEachDialect(
  'the limit is put back with the tunnel, by a converge and after a removal that failed',
  async (dialect) => {
    const { world, node } = await started(dialect)
    await using _ = world
    const { firewall, artifact } = world.domain
    const record = await world.record(node)
    const session = world.nodes.nodes.sessions.overTunnel(fakeCall(), record)
    assert.equal(await artifact.digest(record), undefined)
    await firewall.onNodes.limitCallers(session)
    assert.deepEqual(world.ufw.asked, [])
    await limit(world, node.id, ['ops'])
    const expected = world.ufw.limit
    for (const put of [
      () => firewall.onNodes.admitMembers(session),
      () => artifact.converge(session, { force: true }),
      () => firewall.onNodes.limitCallers(session),
    ]) {
      world.ufw.limit = undefined
      await put()
      assert.deepEqual(world.ufw.limit, expected)
    }
    await firewall.onNodes.freeCallers(session)
    assert.equal(world.ufw.limit, undefined)
    const [mac, embedded] = [{ platform: 'macos' }, { wireguard_ip: '127.44.0.12' }] as const
    for (const given of [mac, embedded]) {
      const other = await world.record(await world.addMachine({ wireguard_ip: '10.44.0.12', ...given }))
      const asked: number = world.ufw.asked.length
      await firewall.onNodes.freeCallers(world.nodes.nodes.sessions.overTunnel(fakeCall(), other))
      assert.equal(world.ufw.asked.length, asked)
    }
    const digest = await artifact.digest(record)
    await limit(world, node.id, ['other'])
    assert.notEqual(await artifact.digest(record), digest)
  },
)

forEachDialect(
  'a limit that no record knows is lifted by enrollment and by repair, and a stored one is not',
  async (dialect) => {
    const { world, node } = await started(dialect)
    await using _ = world
    const { onNodes } = world.domain.firewall
    const session = world.nodes.nodes.sessions.overTunnel(fakeCall(), await world.record(node))
    const earlier = { gateway: GATEWAY, accounts: ['ops'] }
    for (const work of [onNodes.admitMembers, onNodes.restore]) {
      world.ufw.limit = earlier
      await work(session)
      assert.equal(world.ufw.limit, undefined)
    }
    await limit(world, node.id, ['ops'])
    for (const work of [onNodes.admitMembers, onNodes.restore]) {
      await work(session)
      assert.deepEqual(world.ufw.limit, earlier)
    }
  },
)

forEachDialect(
  'Doctor compares a stored limit with the machine, and finds one that is not stored',
  async (dialect) => {
    const { world, node } = await started(dialect)
    await using _ = world
    const checks = async () => {
      const all = await Promise.all(
        world.domain.checks.map(async (one) => one.checksOf(fakeCall(), await world.record(node))),
      )
      return all.flat().filter(({ code }) => code === 'firewall.callers_mismatch')
    }
    const free = { isLimited: false, isExact: false, boots: false, unknown: [] }
    const [unlimited] = await checks()
    assert.ok(unlimited?.kind === 'asked')
    const observed = [free, { ...free, isLimited: true }, { ...free, boots: true }].map(async (view) =>
      unlimited.judge(view),
    )
    assert.deepEqual(await Promise.all(observed), [
      undefined,
      { expected: 'every account', observed: 'some accounts' },
      { expected: 'every account', observed: 'some accounts after a boot' },
    ])
    await limit(world, node.id, ['ops'])
    const [check, ...more] = await checks()
    assert.ok(check?.kind === 'asked')
    assert.deepEqual(more, [])
    assert.deepEqual(check.question.args, callersQuestion({ gateway: GATEWAY, accounts: ['ops'] }).args)
    const right = { isLimited: true, isExact: true, boots: true, unknown: [] }
    assert.equal(await check.judge(right), undefined)
    const wrong = [{ unknown: ['ops'] }, { isLimited: false }, { isExact: false }, { boots: false }]
    const found = await Promise.all(wrong.map(async (part) => check.judge({ ...right, ...part })))
    assert.deepEqual(
      found.map((finding) => finding && 'observed' in finding && finding.observed),
      ['1 accounts are gone', 'every account', 'other accounts', 'every account after a boot'],
    )
  },
)
