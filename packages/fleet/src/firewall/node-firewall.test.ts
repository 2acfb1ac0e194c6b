import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRole, fakeCall, forEachDialect } from '@fleet/testing'
import { ownRule } from '#/firewall/ufw/rule.ts'
import { blockOf, formatRulesFile, parseRulesFile } from '#/firewall/ufw/rules-file.ts'
import { EMPTY_RULES, type FirewallWorld, startFirewallWorld } from '#/firewall/world.test.ts'
import type { NodeSession } from '#/nodes/api.ts'

async function sessionOf(world: FirewallWorld, node: { readonly id: number }): Promise<NodeSession> {
  return world.nodes.nodes.sessions.overTunnel(fakeCall(), await world.record(node))
}

/** A machine on which somebody already has rules; the firewall as the test says. */
async function started(backend: 'active' | 'inactive' = 'inactive') {
  const world = await startFirewallWorld()
  world.ufw.backend = backend
  const node = await world.addMachine({ public_ssh_port: 22 })
  return { world, node, session: await sessionOf(world, node), rules: world.domain.firewall.onNodes }
}

const foreign = blockOf(ownRule({ action: 'deny', protocol: 'tcp', port: '22', comment: 'theirs' }), 'ipv4')

function addForeign({ ufw }: FirewallWorld): void {
  const file = parseRulesFile(ufw.rules, 'ipv4')
  ufw.take(formatRulesFile({ ...file, blocks: [foreign, ...file.blocks] }), ufw.rules6)
  ufw.load()
}

const RECOVERY = 'fleet:public-ssh-recovery'
const MEMBERS = 'fleet:wireguard-members'

test('bootstrap admits SSH, then turns the firewall on, above rules that somebody has already [NODE-051, NODE-129]', async () => {
  const { world, session, rules } = await started()
  await using _ = world
  addForeign(world)
  await rules.bootstrap(session, 22)
  assert.deepEqual([world.ufw.backend, world.ufw.comments()], ['active', [RECOVERY, 'theirs']])
  assert.deepEqual(world.ufw.asked, ['read', 'listening', 'enable'])
})

test('bootstrap says which listeners a firewall that was off keeps out now, with the command that opens each, and of one that was on nothing', async () => {
  const { world, node, session, rules } = await started()
  await using _ = world
  const listener = (port: number, name: string) =>
    ({ protocol: 'tcp', address: '0.0.0.0', port, program: { name, pid: 7 } }) as const
  world.ufw.listens = { listeners: [listener(22, 'sshd'), listener(80, 'nginx')], published: ['tcp 8080'] }
  assert.deepEqual(await rules.bootstrap(session, 22), [
    `The firewall of ${node.name} is on now, and closes these ports to all but the private network: 80/tcp (nginx). Each command opens one again:`,
    `fleet node:firewall:allow ${node.name} nginx-80 80`,
    `Containers on ${node.name} publish 8080/tcp: over IPv4 these ports bypass the firewall, and stay open.`,
  ])
  assert.deepEqual(await rules.bootstrap(session, 22), [])
  // One that admits what no rule refuses guards nothing either.
  world.ufw.deniesRest = false
  assert.equal((await rules.bootstrap(session, 22)).length, 3)
})

test('bootstrap writes nothing where the firewall stands already, and turns on again what would not last', async () => {
  const { world, session, rules } = await started()
  await using _ = world
  await rules.bootstrap(session, 22)
  await rules.bootstrap(session, 22)
  assert.deepEqual(world.ufw.asked, ['read', 'listening', 'enable', 'read'])
  world.ufw.startsWithMachine = false
  await rules.bootstrap(session, 22)
  assert.deepEqual(world.ufw.asked.slice(4), ['read', 'enable'])
})

test('bootstrap admits the port that is given and the one of sshd itself [NODE-129]', async () => {
  const { world, session, rules } = await started()
  await using _ = world
  await rules.bootstrap(session, 2222)
  assert.deepEqual(
    [...world.ufw.rules.matchAll(/--dport (\d+)/g)].map(([, port]) => port),
    ['2222', '22'],
  )
})

test('bootstrap clears what the machine has from another life, and nothing that the records know', async () => {
  const { world, node, session, rules } = await started('active')
  await using _ = world
  await addRole(world.store, { node_id: node.id, role: 'vpn', status: 'failed' })
  const input = { node: node.id, name: 'web', port: '443', source: 'any', protocol: 'tcp' as const }
  await world.domain.handlers['node:firewall:allow']({ call: fakeCall(), input })
  await rules.applyRole(session, 'vpn')
  await rules.applyRole(session, 'gateway')
  const left = ['fleet:node:999:firewall:web', `fleet:node:${node.id}:firewall:gone`, 'fleet:of-old', 'mine']
  const file = parseRulesFile(world.ufw.rules, 'ipv4')
  const blocks = left.map((comment) => blockOf(ownRule({ action: 'allow', comment }), 'ipv4'))
  world.ufw.take(formatRulesFile({ ...file, blocks: [...file.blocks, ...blocks] }), world.ufw.rules6)
  await rules.bootstrap(session, 22)
  assert.deepEqual(
    [...new Set(world.ufw.comments())],
    [
      MEMBERS,
      RECOVERY,
      'fleet:vpn-hub',
      'fleet:vpn-dns',
      'fleet:vpn-forward',
      `fleet:node:${node.id}:firewall:web`,
      'mine',
    ],
  )
})

test('the tunnel is admitted beside SSH, and stays when public SSH closes and opens [NODE-053, NODE-066, NODE-129, ROLE-025]', async () => {
  const { world, session, rules } = await started()
  await using _ = world
  await rules.bootstrap(session, 22)
  await rules.admitMembers(session)
  assert.deepEqual(world.ufw.comments(), [MEMBERS, RECOVERY])
  world.ufw.asked.length = 0
  await rules.admitMembers(session)
  assert.deepEqual(world.ufw.asked, ['read', 'limit'])
  await rules.closePublicSsh(session)
  assert.deepEqual(world.ufw.comments(), [MEMBERS])
  assert.equal(world.ufw.asked.at(-1), 'load over the tunnel')
  await rules.openPublicSsh(session)
  assert.deepEqual(world.ufw.comments(), [MEMBERS, RECOVERY])
})

test('a machine that is new gets the rules of operators back with the tunnel, and none whose removal has begun [NODE-053]', async () => {
  const { world, node, session, rules } = await started('active')
  await using _ = world
  const call = fakeCall()
  for (const name of ['web', 'gone']) {
    const input = { node: node.id, name, port: '443', source: 'any', protocol: 'tcp' as const }
    await world.domain.handlers['node:firewall:allow']({ call, input })
  }
  await world.store.db
    .updateTable('firewall_rules')
    .set({ status: 'removing' })
    .where('name', '=', 'gone')
    .execute()
  world.ufw.take(EMPTY_RULES, world.ufw.rules6)
  world.ufw.load()
  await rules.admitMembers(session)
  assert.deepEqual([...new Set(world.ufw.comments())], [MEMBERS, `fleet:node:${node.id}:firewall:web`])
  world.ufw.asked.length = 0
  await rules.admitMembers(session)
  assert.deepEqual(world.ufw.asked, ['read', 'limit'])
})

test('public SSH stays open when the way over the tunnel is not proven [NODE-066]', async () => {
  const { world, session, rules } = await started()
  await using _ = world
  await rules.bootstrap(session, 22)
  for (const reason of ['not_over_tunnel', 'tunnel_down', 'ssh_silent'] as const) {
    world.ufw.refusal = reason
    await assert.rejects(rules.closePublicSsh(session), ({ code, details }) => {
      assert.deepEqual([code, details.step, details.reason], ['firewall.apply_failed', 'apply', reason])
      return true
    })
  }
  assert.deepEqual(world.ufw.comments(), [RECOVERY])
})

test('closing public SSH admits the tunnel in the same moment [NODE-066]', async () => {
  const { world, session, rules } = await started()
  await using _ = world
  await rules.bootstrap(session, 22)
  await rules.closePublicSsh(session)
  assert.deepEqual(world.ufw.comments(), [MEMBERS])
})

test('the rules of a role come and go with it, those of others stay [FW-030]', async () => {
  const { world, session, rules } = await started('active')
  await using _ = world
  await rules.admitMembers(session)
  for (const role of ['gateway', 'metrics', 'vpn', 'app-dev'] as const) await rules.applyRole(session, role)
  assert.deepEqual(world.ufw.comments(), [
    'fleet:metrics-grafana-gateway',
    'fleet:metrics-grafana-isolation',
    MEMBERS,
    'fleet:gateway-https',
    'fleet:vpn-hub',
    'fleet:vpn-dns',
    'fleet:vpn-dns',
    'fleet:vpn-forward',
  ])
  await rules.withdrawRole(session, 'vpn')
  await rules.withdrawRole(session, 'metrics')
  assert.deepEqual(world.ufw.comments(), [MEMBERS, 'fleet:gateway-https'])
  assert.ok(!world.ufw.rules6?.includes('vpn'))
})

test('an Ingress opens its ports for both families once a public Route is live, and closes them with the last [FW-029]', async () => {
  const { world, session, rules } = await started('active')
  await using _ = world
  await rules.applyRole(session, 'ingress')
  assert.ok(!world.ufw.comments().includes('fleet:ingress-http'))
  world.servesPublicRoutes = true
  await rules.applyRole(session, 'ingress')
  for (const text of [world.ufw.rules, world.ufw.rules6 ?? ''])
    assert.deepEqual(
      [...text.matchAll(/--dport (80|443)/g)].map(([, port]) => port),
      ['80', '443'],
    )
  world.servesPublicRoutes = false
  await rules.applyRole(session, 'ingress')
  assert.ok(!/--dport (?:80|443)/.test(world.ufw.rules + world.ufw.rules6))
})

test('on a firewall that is off no rules are admitted but those of the members, and others taken away in its files', async () => {
  const { world, session, rules } = await started()
  await using _ = world
  for (const refused of [() => rules.closePublicSsh(session), () => rules.applyRole(session, 'vpn')])
    await assert.rejects(refused(), { code: 'firewall.backend_inactive' })
  await rules.openPublicSsh(session)
  await rules.withdrawRole(session, 'vpn')
  assert.deepEqual([world.ufw.backend, world.ufw.comments()], ['inactive', [RECOVERY]])
})

test('a firewall that somebody turned off is on again once the members are admitted, with a way of the gateway in it', async () => {
  const { world, session, rules } = await started()
  await using _ = world
  await rules.admitMembers(session)
  assert.equal(world.ufw.backend, 'active')
  assert.ok(world.ufw.comments().includes(MEMBERS))
})

test('a firewall that somebody turned off is turned on again with the members admitted', async () => {
  const { world, session, rules } = await started()
  await using _ = world
  await rules.admitMembers(session)
  assert.deepEqual([world.ufw.backend, world.ufw.comments()], ['active', [MEMBERS]])
  assert.equal(world.ufw.asked.at(-2), 'enable')
})

test('a machine without a firewall can be left, but takes no rules', async () => {
  const { world, session, rules } = await started()
  await using _ = world
  world.ufw.backend = 'absent'
  await rules.openPublicSsh(session)
  await rules.withdrawRole(session, 'vpn')
  await assert.rejects(rules.bootstrap(session, 22), { code: 'node.capability_missing' })
})

test('a rules file that was cut off is whole again, with a way of the gateway in it', async () => {
  const { world, session, rules } = await started('active')
  await using _ = world
  await rules.admitMembers(session)
  const whole = world.ufw.rules
  for (const text of ['', whole.slice(0, 40), whole.slice(0, whole.indexOf('-A ufw-user-input'))]) {
    world.ufw.take(text, world.ufw.rules6)
    await rules.withdrawRole(session, 'vpn')
    assert.deepEqual(world.ufw.comments(), [MEMBERS])
    assert.ok(world.ufw.rules.endsWith('COMMIT\n'))
  }
})

test('rules that would leave the gateway out carry the member rule with them', async () => {
  const { world, session, rules } = await started('active')
  await using _ = world
  world.ufw.take(EMPTY_RULES, world.ufw.rules6)
  addForeign(world)
  await rules.applyRole(session, 'vpn')
  assert.equal(world.ufw.comments()[0], MEMBERS)
})

forEachDialect('rules on a Node are counted for those who ask whether it may go', async (dialect) => {
  await using world = await startFirewallWorld(dialect)
  const node = await world.addMachine()
  const { firewall, handlers } = world.domain
  assert.equal(await firewall.countRules(node.id), 0)
  const input = { node: node.id, name: 'web', port: '443', source: 'any', protocol: 'tcp' as const }
  await handlers['node:firewall:allow']({ call: fakeCall(), input })
  assert.equal(await firewall.countRules(node.id), 1)
})
