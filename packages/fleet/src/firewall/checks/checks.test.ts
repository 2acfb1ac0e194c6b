import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRole, fakeCall, forEachDialect } from '@fleet/testing'
import { firewallQuestion } from '#/firewall/checks/question.ts'
import { holdingRules } from '#/firewall/locks.ts'
import type { FirewallState } from '#/firewall/ufw/state.ts'
import { type FirewallWorld, startFirewallWorld } from '#/firewall/world.test.ts'
import type { Row } from '@fleet/store'

/** Codes with resource, expected and observed, of everything that is not as it should be. */
async function found(world: FirewallWorld, node: { readonly id: number }): Promise<string[]> {
  const state: FirewallState = await world.ufw.read()
  const record = await world.record(node)
  const lines: string[] = []
  for (const family of world.domain.checks)
    for (const check of await family.checksOf(fakeCall(), record)) {
      // Not of the firewall's rules.
      if (check.code === 'firewall.callers_mismatch') continue
      assert.ok(check.kind !== 'driven')
      if (check.kind === 'asked') assert.equal(check.question, firewallQuestion)
      const verdict = await (check.kind === 'stored' ? check.judge() : check.judge(state))
      if (verdict && 'expected' in verdict)
        lines.push(`${check.code} ${check.resource.name}: ${verdict.expected}, ${verdict.observed}`)
    }
  return lines
}

/** A Node with the roles `vpn` and `gateway` and an operator's rule, all of it as it should be. */
async function healthy(world: FirewallWorld): Promise<Row<'nodes'>> {
  const node = await world.addMachine({ name: 'node', roles: ['vpn', 'gateway'] })
  const { handlers, firewall } = world.domain
  const session = world.nodes.nodes.sessions.overTunnel(fakeCall(), await world.record(node))
  await firewall.onNodes.admitMembers(session)
  for (const role of ['vpn', 'gateway'] as const) await firewall.onNodes.applyRole(session, role)
  const input = { node: node.id, name: 'web', port: '8443', source: 'any', protocol: 'tcp' as const }
  await handlers['node:firewall:allow']({ call: fakeCall(), input })
  return node
}

const change = (
  { ufw }: FirewallWorld,
  from: string | RegExp,
  to: string | ((all: string, before: string) => string),
): void => {
  ufw.take(typeof to === 'string' ? ufw.rules.replace(from, to) : ufw.rules.replace(from, to), ufw.rules6)
  ufw.load()
}

const hex = (comment: string): string => Buffer.from(comment).toString('hex')
const block = (comment: string): RegExp => new RegExp(`### tuple ### [^#]*${hex(comment)}\\n[^#]*`)

const mutations: ReadonlyArray<
  readonly [what: string, harm: (world: FirewallWorld) => unknown, found: readonly string[]]
> = [
  ['nothing', () => undefined, []],
  [
    'the firewall is off',
    ({ ufw }) => (ufw.backend = 'inactive'),
    ['firewall.backend_inactive node: active, inactive'],
  ],
  [
    'the firewall is gone',
    ({ ufw }) => (ufw.backend = 'absent'),
    ['firewall.backend_inactive node: active, absent'],
  ],
  [
    'it admits what no rule admits',
    ({ ufw }) => (ufw.deniesRest = false),
    ['firewall.backend_inactive node: active, admits the rest'],
  ],
  [
    'it is not on after the next start of the machine',
    ({ ufw }) => (ufw.startsWithMachine = false),
    ['firewall.backend_inactive node: active, not on after a start'],
  ],
  [
    'the rule of an operator is gone',
    (world) => change(world, /### tuple ### allow tcp 8443[^#]*/, ''),
    ['firewall.rule_missing web: exact, missing'],
  ],
  [
    'it is gone from the rules for IPv6 alone',
    ({ ufw }) => {
      ufw.take(ufw.rules, ufw.rules6?.replace(/### tuple ### allow tcp 8443[^#]*/, ''))
      ufw.load()
    },
    ['firewall.rule_missing web: exact, missing'],
  ],
  [
    'it is gone from the kernel alone',
    ({ ufw }) => (ufw.kernel = ufw.kernel.filter((line) => !line.includes('8443'))),
    ['firewall.rule_missing web: exact, missing'],
  ],
  [
    'it has another port',
    (world) => change(world, /8443/g, '9443'),
    ['firewall.rule_mismatch web: exact, different'],
  ],
  [
    'the rule of the members is gone',
    (world) => change(world, block('fleet:wireguard-members'), ''),
    ['firewall.rule_missing wireguard-members: exact, missing'],
  ],
  [
    'the rules of a role are gone or others',
    (world) => {
      change(world, block('fleet:vpn-hub'), '')
      change(world, /(allow udp |--dport )53/g, (_all: string, before: string) => `${before}54`)
    },
    ['role.firewall_projection_mismatch vpn: exact, not exact: vpn-hub, vpn-dns'],
  ],
  [
    'somebody put a rule above all others',
    (world) =>
      change(
        world,
        '### RULES ###\n',
        '### RULES ###\n\n### tuple ### deny tcp 22 0.0.0.0/0 any 0.0.0.0/0 in\n-A ufw-user-input -p tcp --dport 22 -j DROP\n',
      ),
    ['firewall.rule_mismatch node: rules of the fleet first, others above them'],
  ],
  [
    'somebody put a rule above them in the kernel alone',
    ({ ufw }) => (ufw.kernel = ['-A ufw-user-input -s 10.44.0.1/32 -j DROP', ...ufw.kernel]),
    ['firewall.rule_mismatch node: rules of the fleet first, others above them'],
  ],
  [
    'public SSH is still open',
    (world) =>
      change(
        world,
        '### END RULES ###',
        `### tuple ### allow tcp 22 0.0.0.0/0 any 0.0.0.0/0 in comment=${hex('fleet:public-ssh-recovery')}\n-A ufw-user-input -p tcp --dport 22 -j ACCEPT\n\n### END RULES ###`,
      ),
    ['firewall.rule_mismatch node: no unknown rules of the fleet, 1'],
  ],
  [
    'the last change of a rule failed',
    ({ store }) => store.db.updateTable('firewall_rules').set({ status: 'failed' }).execute(),
    ['firewall.lifecycle_not_active web: active, failed'],
  ],
]

for (const [what, harm, expected] of mutations) {
  forEachDialect(`Doctor tells when ${what} [DRF-034, DRF-057]`, async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const node = await healthy(world)
    await harm(world)
    assert.deepEqual(await found(world, node), expected)
  })
}

forEachDialect(
  'the rules of a role that is not active any more, or not yet, are known until the role is gone [DRF-057]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const node = await healthy(world)
    const vpn = world.store.db.updateTable('node_roles').where('role', '=', 'vpn')
    for (const status of ['removing', 'failed', 'provisioning'] as const) {
      await vpn.set({ status }).execute()
      assert.deepEqual(await found(world, node), [], status)
    }
    await world.store.db.deleteFrom('node_roles').where('role', '=', 'vpn').execute()
    const unknown = 'firewall.rule_mismatch node: no unknown rules of the fleet'
    assert.equal((await found(world, node)).filter((line) => line.startsWith(unknown)).length, 1)
  },
)

forEachDialect(
  'nothing is asked of embedded Nodes, Macs and Nodes outside the tunnel [DRF-057]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const nodes = [
      await world.addMachine({ wireguard_ip: '127.44.0.11', roles: ['vpn'] }),
      await world.addMachine({ platform: 'macos', wireguard_ip: '10.44.0.12' }),
      await world.addMachine({ wireguard_ip: null }),
    ]
    for (const node of nodes)
      for (const family of world.domain.checks)
        assert.deepEqual(await family.checksOf(fakeCall(), await world.record(node)), [])
  },
)

test('roles that are not active have no rules to check, those without rules neither [DRF-034]', async () => {
  await using world = await startFirewallWorld()
  const node = await world.addMachine({ roles: ['app-dev'] })
  await addRole(world.store, { node_id: node.id, role: 'vpn', status: 'failed' })
  const [, projection] = world.domain.checks
  assert.deepEqual(await projection?.checksOf(fakeCall(), await world.record(node)), [])
})

test('an answer of Doctor is read as the one of an operation; what is no answer is none [DRF-058]', () => {
  const text =
    'backend 6\nactive\ndenying 3\nyes\nstarting 3\nyes\nrules 0\n\nkernel 17\n-N ufw-user-input\nend 3\nyes'
  const state = firewallQuestion.read({ exitCode: 0, text })
  assert.equal(state?.backend, 'active')
  assert.equal('ipv6' in state && state.ipv6 !== undefined, false)
  for (const bad of [
    { exitCode: 1, text },
    { exitCode: 0, text: '' },
    { exitCode: 0, text: 'refused 7\nchanged' },
    { exitCode: 0, text: text.replace('end 3\nyes', 'end 2\nno') },
  ])
    assert.equal(firewallQuestion.read(bad), undefined)
})

test('a Node that does not admit the members of the tunnel is named by the code of whoever asks [DOC-013]', async () => {
  await using world = await startFirewallWorld()
  const node = await healthy(world)
  const resource = { type: 'instance', id: 3, name: 'shop' }
  const findings = async (given: { readonly id: number }): Promise<readonly unknown[]> => {
    const record = await world.record(given)
    const code = 'instance.private_firewall_mismatch'
    const checks = await world.domain.firewall.memberCheck(code, resource, record)
    const state = await world.ufw.read()
    return Promise.all(
      checks.map(async (check) => {
        assert.ok(check.kind === 'asked' && check.question === firewallQuestion)
        assert.deepEqual([check.code, check.resource], [code, resource])
        return check.judge(state)
      }),
    )
  }
  assert.deepEqual(await findings(node), [undefined])
  change(world, block('fleet:wireguard-members'), '')
  assert.deepEqual(await findings(node), [{ expected: 'exact', observed: 'missing' }])
  await world.domain.firewall.onNodes.restore(
    world.nodes.nodes.sessions.overTunnel(fakeCall(), await world.record(node)),
  )
  assert.deepEqual(await findings(node), [undefined])
  const embedded = await world.addMachine({ wireguard_ip: '127.44.0.11' })
  assert.deepEqual(await findings(embedded), [])
})

test('a rule that somebody changes meanwhile is no rule that nobody finished [DRF-057]', async () => {
  await using world = await startFirewallWorld()
  const node = await healthy(world)
  const set = (status: 'failed' | 'active') =>
    world.store.db.updateTable('firewall_rules').set({ status }).execute()
  await set('failed')
  await holdingRules(world.store, fakeCall(), node.id, async () =>
    assert.deepEqual(await found(world, node), []),
  )
  assert.deepEqual(await found(world, node), ['firewall.lifecycle_not_active web: active, failed'])
  // Whoever changed it ended after the records were read.
  const [family] = world.domain.checks
  const checks = await family?.checksOf(fakeCall(), await world.record(node))
  const check = checks?.find(({ code }) => code === 'firewall.lifecycle_not_active')
  assert.ok(check?.kind === 'stored')
  await set('active')
  assert.equal(await check.judge(), undefined)
})

test('a firewall that is off or lacks a rule of a role is named by the code of whoever asks [DOC-022]', async () => {
  await using world = await startFirewallWorld()
  world.servesPublicRoutes = true
  const node = await healthy(world)
  await addRole(world.store, { node_id: node.id, role: 'ingress' })
  const resource = { type: 'instance', id: 3, name: 'shop' }
  const record = await world.record(node)
  const applied = async () => {
    const session = world.nodes.nodes.sessions.overTunnel(fakeCall(), record)
    await world.domain.firewall.onNodes.applyRole(session, 'ingress')
  }
  const finding = async (): Promise<unknown> => {
    const code = 'instance.public_firewall_mismatch'
    const [check, ...more] = await world.domain.firewall.roleCheck(code, resource, record, 'ingress')
    assert.ok(check?.kind === 'asked' && check.question === firewallQuestion && more.length === 0)
    assert.deepEqual([check.code, check.resource], [code, resource])
    return check.judge(await world.ufw.read())
  }
  await applied()
  assert.equal(await finding(), undefined)
  for (const name of ['ingress-http', 'ingress-https']) {
    change(world, block(`fleet:${name}`), '')
    assert.deepEqual(await finding(), { expected: 'exact', observed: `not exact: ${name}` })
    await applied()
    assert.equal(await finding(), undefined)
  }
  world.ufw.startsWithMachine = false
  assert.deepEqual(await finding(), { expected: 'active', observed: 'not on after a start' })
  world.ufw.backend = 'inactive'
  assert.deepEqual(await finding(), { expected: 'active', observed: 'inactive' })
  const embedded = await world.addMachine({ wireguard_ip: '127.44.0.11' })
  const other = await world.record(embedded)
  assert.deepEqual(
    await world.domain.firewall.roleCheck('instance.public_firewall_mismatch', resource, other, 'ingress'),
    [],
  )
})
