import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewRow } from '@fleet/store'
import { addRole, type FakeCall, fakeCall, forEachDialect } from '@fleet/testing'
import { EMPTY_RULES, type FirewallWorld, startFirewallWorld } from '#/firewall/world.test.ts'

const MEMBERS = 'fleet:wireguard-members'

async function started(world: FirewallWorld, isInUse = true) {
  const node = await world.addMachine({ public_ssh_port: 22 })
  if (isInUse) await addRole(world.store, { node_id: node.id, role: 'app-dev' })
  const call: FakeCall = fakeCall()
  const restore = async (): Promise<boolean> => {
    const record = await world.record(node)
    return world.domain.firewall.onNodes.restore(world.nodes.nodes.sessions.overTunnel(call, record))
  }
  const addRule = (name: string, values: Partial<NewRow<'firewall_rules'>> = {}) =>
    world.store.db
      .insertInto('firewall_rules')
      .values({
        node_id: node.id,
        name,
        action: 'allow',
        source: 'any',
        protocol: 'tcp',
        port: '8080',
        status: 'active',
        created_at: '2026-01-01T00:00:00.000Z',
        ...values,
      })
      .execute()
  const rows = async (): Promise<string[]> =>
    (await world.store.db.selectFrom('firewall_rules').selectAll().orderBy('name').execute()).map(
      ({ name, status, failed_step }) => [name, status, failed_step].filter(Boolean).join(' '),
    )
  const comment = (name: string): string => `fleet:${node.id}:${name}`
  return { node, call, restore, addRule, rows, comment }
}

forEachDialect(
  'a firewall that was emptied and turned off has every rule of the records again, in one change, and is on',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const { restore, addRule } = await started(world)
    await addRule('shop')
    await restore()
    const [before, kernel] = [world.ufw.comments(), world.ufw.kernel]
    assert.equal(before.length, 2)
    world.ufw.rules = EMPTY_RULES
    world.ufw.kernel = []
    world.ufw.backend = 'inactive'
    world.ufw.asked.length = 0
    assert.equal(await restore(), true)
    assert.deepEqual([world.ufw.comments(), world.ufw.kernel, world.ufw.backend], [before, kernel, 'active'])
    assert.deepEqual(world.ufw.asked, ['read', 'enable over the tunnel', 'limit'])
    assert.equal(await restore(), false)
    assert.deepEqual(world.ufw.asked.slice(3), ['read', 'limit'])
  },
)

test('a Node with a role has no rule for public SSH, one without has it [NODE-129]', async () => {
  await using world = await startFirewallWorld()
  const bare = await started(world, false)
  await bare.restore()
  assert.deepEqual(world.ufw.comments(), [MEMBERS, 'fleet:public-ssh-recovery'])
  await addRole(world.store, { node_id: bare.node.id, role: 'app-dev' })
  await bare.restore()
  assert.deepEqual(world.ufw.comments(), [MEMBERS])
})

test('rules of the fleet that no record knows go, and those of strangers stay', async () => {
  await using world = await startFirewallWorld()
  const { restore, addRule, comment } = await started(world)
  await addRule('shop')
  await restore()
  await world.store.db.deleteFrom('firewall_rules').execute()
  assert.equal(await restore(), true)
  assert.ok(!world.ufw.comments().includes(comment('shop')))
})

test('requests for rules that did not end are finished: the added rule is active, the removed one is gone, and both are published although the converge may fail later [EV-046, EV-047]', async () => {
  await using world = await startFirewallWorld()
  const { call, restore, addRule, rows } = await started(world)
  await addRule('begun', { status: 'failed', failed_step: 'apply', error_code: 'firewall.apply_failed' })
  await addRule('leaving', { status: 'failed', failed_step: 'remove', port: '8081' })
  await addRule('quiet', { port: '8082' })
  await restore()
  assert.deepEqual(await rows(), ['begun active', 'quiet active'])
  assert.deepEqual(
    call.published.map(({ type }) => type),
    ['firewall.created', 'firewall.deleted'],
  )
  assert.equal(world.ufw.comments().filter((text) => text.endsWith('leaving')).length, 0)
})

test('rules that could not be put in force stay as failed as they were', async () => {
  await using world = await startFirewallWorld()
  const { call, restore, addRule, rows } = await started(world)
  await addRule('begun', { status: 'failed', failed_step: 'apply', error_code: 'firewall.apply_failed' })
  world.ufw.refusal = 'storage_full'
  await assert.rejects(restore(), { code: 'firewall.apply_failed' })
  assert.deepEqual([await rows(), call.events], [['begun failed apply'], []])
})

test('a Node that is reached from outside is opened to the tunnel, and a firewall that is off stays off', async () => {
  await using world = await startFirewallWorld()
  const { node } = await started(world)
  const record = await world.record(node)
  const open = () =>
    world.domain.firewall.onNodes.openTunnel(
      world.nodes.nodes.sessions.overPublicSsh(fakeCall(), record, 'fleet'),
    )
  world.ufw.backend = 'inactive'
  await open()
  assert.deepEqual([world.ufw.comments(), world.ufw.backend], [[], 'inactive'])
  world.ufw.backend = 'active'
  await open()
  assert.deepEqual(world.ufw.comments(), [MEMBERS])
})
