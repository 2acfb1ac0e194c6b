import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { script } from '@fleet/shell'
import { localSession, type TunnelMachine, tunnelMachine } from '@fleet/testing'
import { resolverQuestion, type ResolverView } from '#/network/checks/resolver-question.ts'
import { ownKey } from '#/network/commands/key.ts'
import { setResolver } from '#/network/commands/resolver.ts'
import type { OnForeign } from '#/network/commands/resolver-words.ts'
import { settlePeer } from '#/network/commands/settle.ts'
import { peerConfiguration } from '#/network/configuration.ts'
import { NO_RESOLVER, planResolver, type ResolverFacts } from '#/network/resolver-plan.ts'
import type { NodeSession } from '#/nodes/api.ts'

const CONF = 'etc/wireguard/fleet.conf'
const STATE = 'etc/wireguard/fleet.dns-link'
const LOCK = 'run/lock/fleet-wireguard-peer.lock'
const DROP_IN = 'etc/systemd/system/wg-quick@fleet.service.d/fleet-gateway-dns.conf'

const facts: ResolverFacts = {
  server: '10.44.0.1',
  suffix: 'fleet',
  tld: 'web.test',
  isHub: false,
  isGateway: false,
  isManaged: false,
  override: null,
}

interface Site {
  readonly machine: TunnelMachine
  readonly session: NodeSession
  set(given: Partial<ResolverFacts>, onForeign?: OnForeign): Promise<boolean>
  /** What Doctor reads. */
  ask(given: Partial<ResolverFacts>): Promise<ResolverView | undefined>
}

/** A member without roles whose tunnel runs. */
async function site(context: TestContext): Promise<Site> {
  const machine = tunnelMachine()
  context.after(() => machine[Symbol.dispose]())
  const session = localSession(machine.pool)
  await session.ask(ownKey, { root: machine.root, known: null, others: [] })
  const resolver = planResolver(facts)
  const hub = { publicKey: `${'b'.repeat(42)}A=`, endpoint: { host: '203.0.113.9', port: 51_820 } }
  await session.ask(settlePeer, {
    root: machine.root,
    kind: 'peer',
    configuration: peerConfiguration({ address: '10.44.0.7', hub, range: '10.44.0.0/16', resolver }),
    address: '10.44.0.7/32',
    port: 41_820,
    handshakeSeconds: 1,
    resolver,
  })
  machine.unset('calls')
  return {
    machine,
    session,
    set: (given, onForeign = 'refuse') =>
      session.ask(setResolver, { root: machine.root, plan: planResolver({ ...facts, ...given }), onForeign }),
    ask: async (given) => {
      const { source, args, read } = resolverQuestion(planResolver({ ...facts, ...given }), machine.root)
      const { exitCode, stdout } = await session.run(script(source, ...(args ?? [])))
      return read({ exitCode: exitCode ?? 1, text: stdout.toString().trimEnd() })
    },
  }
}

/** As wg-quick does, which takes the link away again where the hook fails. */
const runHook = (machine: TunnelMachine): void =>
  void execFileSync('sh', [join(machine.root, 'etc/wireguard/fleet.hook'), 'up', 'fleet'], {
    env: { PATH: `${join(machine.root, '../bin')}:/usr/bin:/bin` },
    stdio: 'ignore',
  })

const restarted = (machine: TunnelMachine): boolean =>
  machine.state('calls').includes('systemctl restart wg-quick')

test('the first role points the link at the fleet for everything, without a restart, and once [NODE-130]', async (context) => {
  const { machine, set } = await site(context)
  const before = machine.read(CONF)
  assert.equal(await set({ isManaged: true }), true)
  assert.equal(
    machine.read(STATE),
    '# Written by Fleet. Changes made here are replaced.\ndns 10.44.0.1\ndomains ~.\ndefault-route yes\n',
  )
  assert.equal(machine.read(CONF), before?.replace('DNS = 10.44.0.1\n', ''))
  assert.deepEqual([machine.state('dns'), machine.state('domain')], ['10.44.0.1\n', '~.\n'])
  assert.equal(restarted(machine), false)
  machine.unset('calls')
  assert.equal(await set({ isManaged: true }), false)
  assert.equal(machine.state('calls'), '')
})

const LEAVING = { root: '', plan: NO_RESOLVER }
const UPSTREAM = 'etc/systemd/resolved.conf.d/fleet-upstream.conf'

for (const [what, given] of [
  ['with a DNS line', {}],
  ['with a name server of its own', { override: '192.0.2.7' }],
  ['that was managed', { isManaged: true }],
] as const)
  test(`a member ${what} that leaves keeps its machine DNS, now and after a start of its tunnel [NODE-065]`, async (context) => {
    const { machine, session, set } = await site(context)
    const before = machine.read(CONF)
    await set(given)
    const release = (): Promise<boolean> => session.ask(setResolver, { ...LEAVING, root: machine.root })
    assert.equal(await release(), true)
    assert.equal(machine.read(CONF), before?.replace('DNS = 10.44.0.1\n', ''))
    assert.deepEqual([machine.read(STATE), machine.read(UPSTREAM)], [undefined, undefined])
    const link = (): readonly string[] => ['dns', 'domain', 'default-route', 'llmnr'].map(machine.state)
    assert.deepEqual(link(), ['', '', '', 'no\n'])
    runHook(machine)
    assert.deepEqual(link(), ['', '', '', 'no\n'])
    assert.ok(!restarted(machine))
    assert.equal(await release(), false)
    assert.equal(await set(given), true)
    assert.equal(machine.state('dns'), '10.44.0.1\n')
  })

test('losing the last role brings the DNS line back as it was [NODE-065]', async (context) => {
  const { machine, set } = await site(context)
  const before = machine.read(CONF)
  await set({ isManaged: true })
  assert.equal(await set({ isManaged: false }), true)
  assert.equal(machine.read(CONF), before)
  assert.equal(machine.read(STATE), undefined)
  assert.equal(await set({ isManaged: false }), false)
})

test('with a DNS server of its own a peer asks the fleet for private names alone [NODE-131]', async (context) => {
  const { machine, set } = await site(context)
  await set({ isManaged: true, override: '192.0.2.7' })
  assert.deepEqual(
    [machine.state('dns'), machine.state('domain'), machine.state('default-route')],
    ['10.44.0.1\n', '~fleet ~web.test\n', 'no\n'],
  )
  assert.equal(
    machine.read('etc/systemd/resolved.conf.d/fleet-upstream.conf'),
    '# Written by Fleet. Changes made here are replaced.\n[Resolve]\nDNS=\nDNS=192.0.2.7\nDomains=~.\n',
  )
  await set({ isManaged: true })
  assert.equal(machine.read('etc/systemd/resolved.conf.d/fleet-upstream.conf'), undefined)
})

test('the gateway’s own machine gets a drop-in of the tunnel’s unit [NODE-132]', async (context) => {
  const { machine, set } = await site(context)
  await set({ isGateway: true, isManaged: true })
  assert.equal(
    machine.read(DROP_IN),
    `# Written by Fleet. Changes made here are replaced.
[Service]
ExecStartPost=-/usr/bin/resolvectl dns fleet 10.44.0.1
ExecStartPost=-/usr/bin/resolvectl domain fleet ~fleet
ExecStartPost=-/usr/bin/resolvectl default-route fleet no
`,
  )
  assert.ok(machine.state('calls').includes('systemctl daemon-reload\n'))
  assert.deepEqual([machine.state('domain'), machine.state('default-route')], ['~fleet\n', 'no\n'])
  await set({ isManaged: true })
  assert.equal(machine.read(DROP_IN), undefined)
})

const LIST = 'etc/resolv.conf'
const STUB = '../run/systemd/resolve/stub-resolv.conf'
const OPERATORS = 'nameserver 198.51.100.8\nsearch example\n'
const linkAt = (machine: TunnelMachine): string => readlinkSync(join(machine.root, LIST))
const backups = ({ root }: TunnelMachine): readonly string[] =>
  readdirSync(join(root, 'etc')).filter((name) => name.startsWith('resolv.conf.'))

const replaced: ReadonlyArray<readonly [string, (path: string) => void, string | undefined]> = [
  ['replaced by a file', (path) => writeFileSync(path, OPERATORS), OPERATORS],
  ['replaced by a link to other servers', (path) => symlinkSync('other.conf', path), undefined],
  ['removed', () => undefined, undefined],
]

for (const [how, replace, kept] of replaced)
  test(`an /etc/resolv.conf that was ${how} is found, put back and kept beside it [NODE-130, NODE-133]`, async (context) => {
    const { machine, set, ask } = await site(context)
    await set({ isManaged: true })
    assert.deepEqual(await ask({ isManaged: true }), {
      files: 'own',
      points: true,
      isSilent: true,
      isStub: true,
      boots: true,
    })
    machine.remove(LIST)
    replace(join(machine.root, LIST))
    assert.equal((await ask({ isManaged: true }))?.isStub, false)
    assert.equal(await set({ isManaged: true }), true)
    assert.equal(linkAt(machine), STUB)
    assert.deepEqual(
      backups(machine).map((name) => machine.read(`etc/${name}`)),
      how === 'removed' ? [] : [kept],
    )
    assert.equal((await ask({ isManaged: true }))?.isStub, true)
    assert.equal(await set({ isManaged: true }), false)
  })

test('a tunnel that is up and does not come up at boot is found [DRF-035]', async (context) => {
  const { machine, set, ask } = await site(context)
  await set({ isManaged: true })
  machine.unset('enabled')
  assert.equal((await ask({ isManaged: true }))?.boots, false)
})

test('a list that was written through its link is kept and made anew, and twice the same list is kept once [NODE-133]', async (context) => {
  const { machine, set, ask } = await site(context)
  for (const round of [1, 2]) {
    machine.write('run/systemd/resolve/stub-resolv.conf', OPERATORS)
    assert.equal((await ask({ isManaged: true }))?.isStub, false, `round ${round}`)
    assert.equal(await set({ isManaged: true }), true)
    assert.equal(machine.read(LIST), 'nameserver 127.0.0.53\n')
    assert.deepEqual(
      backups(machine).map((name) => machine.read(`etc/${name}`)),
      [OPERATORS],
    )
  }
})

test('a machine that has no other servers continues with those of the replaced list [NODE-132, NODE-133]', async (context) => {
  const { machine, set } = await site(context)
  await set({ isGateway: true, isManaged: true })
  machine.write('run/systemd/resolve/resolv.conf', 'nameserver 10.44.0.1\n')
  machine.remove(LIST)
  machine.write(LIST, OPERATORS)
  await set({ isGateway: true, isManaged: true })
  assert.equal(
    machine.read('etc/systemd/resolved.conf.d/fleet-uplink.conf'),
    '# Written by Fleet. Changes made here are replaced.\n[Resolve]\nDNS=198.51.100.8\n',
  )
})

test('a list that asks the fleet’s own DNS alone is enough where it answers everything, and not on the gateway [NODE-132]', async (context) => {
  const { machine, set, ask } = await site(context)
  await set({ isManaged: true })
  machine.remove(LIST)
  machine.write(LIST, 'nameserver 10.44.0.1\n')
  assert.equal((await ask({ isManaged: true }))?.isStub, true)
  assert.equal((await ask({ isManaged: true, isGateway: true }))?.isStub, false)
  assert.equal(await set({ isManaged: true }), false)
})

test('a replaced list comes back when the resolver cannot be set [NODE-133]', async (context) => {
  const { machine, set } = await site(context)
  await set({ isManaged: true })
  machine.remove(LIST)
  machine.write(LIST, OPERATORS)
  machine.set('refused', '~fleet')
  await assert.rejects(set({ isGateway: true }), { code: 'vpn.peer_dns_apply_failed' })
  assert.equal(machine.read(LIST), OPERATORS)
})

test('a list that its operator made immutable is named before anything changes, and one that is right already is no obstacle', async (context) => {
  const { machine, set } = await site(context)
  await set({ isManaged: true })
  const before = machine.read(CONF)
  machine.set('immutable')
  assert.equal(await set({ isManaged: true }), false)
  machine.remove(LIST)
  machine.write(LIST, OPERATORS)
  await assert.rejects(set({ isGateway: true }), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'vpn.peer_dns_apply_failed')
    assert.match(error.message, /^\/etc\/resolv\.conf .* `chattr -i \/etc\/resolv\.conf`/)
    return true
  })
  assert.deepEqual([machine.read(LIST), machine.read(CONF)], [OPERATORS, before])
})

test('the link answers no LLMNR or mDNS question, from the start of the tunnel on and after a repair [NODE-130]', async (context) => {
  const { machine, set, ask } = await site(context)
  const spoken = (): readonly string[] => [machine.state('llmnr'), machine.state('mdns')]
  assert.deepEqual(spoken(), ['no\n', 'no\n'])
  await set({ isManaged: true })
  machine.set('llmnr', 'yes')
  assert.equal((await ask({ isManaged: true }))?.isSilent, false)
  assert.equal(await set({ isManaged: true }), true)
  machine.set('mdns', 'resolve')
  assert.equal((await ask({ isManaged: true }))?.isSilent, false)
  assert.equal(await set({ isManaged: true }), true)
  assert.deepEqual(spoken(), ['no\n', 'no\n'])
})

test('a resolver that cannot be set is as it was before [NODE-133]', async (context) => {
  const { machine, set } = await site(context)
  await set({ isManaged: true })
  const before = [machine.read(CONF), machine.read(STATE)]
  machine.set('refused', '~fleet')
  await assert.rejects(set({ isGateway: true }), { code: 'vpn.peer_dns_apply_failed' })
  assert.deepEqual([machine.read(CONF), machine.read(STATE), machine.read(DROP_IN)], [...before, undefined])
  assert.equal(machine.state('domain'), '~.\n')
})

const faults: ReadonlyArray<readonly [string, string, (machine: TunnelMachine) => void]> = [
  [
    'vpn.peer_recovery_pending',
    'an interrupted join',
    (machine) => machine.write('etc/wireguard/fleet.conf.previous', 'x'),
  ],
  ['vpn.peer_dns_state_unsupported', 'a foreign state', (machine) => machine.write(STATE, 'dns 192.0.2.1\n')],
  ['vpn.peer_dns_state_unsupported', 'no systemd-resolved', (machine) => machine.unset('resolved')],
  [
    'vpn.peer_dns_candidate_invalid',
    'a foreign configuration',
    (machine) => machine.write(CONF, '[Interface]\n'),
  ],
  ['vpn.peer_dns_candidate_invalid', 'a refused candidate', (machine) => machine.set('fail-wg-quick-strip')],
  [
    'vpn.peer_dns_recovery_failed',
    'a resolver that cannot be asked at all',
    (machine) => machine.set('fail-resolvectl-domain'),
  ],
  ['vpn.peer_dns_apply_failed', 'no tunnel', (machine) => machine.unset('link')],
  ['vpn.peer_key_failed', 'no key', (machine) => machine.remove('etc/wireguard/fleet.key')],
]

for (const [code, what, spoil] of faults)
  test(`${what} is refused with ${code} [NODE-133]`, async (context) => {
    const { machine, set } = await site(context)
    spoil(machine)
    await assert.rejects(set({ isManaged: true }), { code })
  })

test('a foreign state is kept beside the one of the fleet where that is asked for', async (context) => {
  const { machine, set } = await site(context)
  machine.write(STATE, 'dns 192.0.2.1\n')
  assert.equal(await set({ isManaged: true }, 'replace'), true)
  assert.equal(machine.read(`${STATE}.foreign`), 'dns 192.0.2.1\n')
  assert.match(machine.read(STATE) ?? '', /^# Written by Fleet[^]*\ndns 10\.44\.0\.1\n/)
  assert.equal(await set({ isManaged: true }, 'replace'), false)
})

test('a lock that is not root’s alone is replaced, so that nobody else keeps the tunnel down or its resolver as it is', async (context) => {
  const { machine, set } = await site(context)
  const path = join(machine.root, LOCK)
  const spoils: ReadonlyArray<() => void> = [
    () => machine.write(LOCK, '', 0o666),
    () => symlinkSync(join(machine.root, 'elsewhere'), path),
    () => mkdirSync(path),
  ]
  for (const spoil of spoils) {
    rmSync(path, { force: true })
    spoil()
    assert.equal(await set({ isManaged: true }), true)
    assert.deepEqual([statSync(path).mode & 0o777, machine.read('elsewhere')], [0o600, undefined])
    rmSync(path)
    spoil()
    runHook(machine)
    assert.deepEqual([machine.state('domain'), statSync(path).mode & 0o777], ['~.\n', 0o600])
    await set({ isManaged: false })
  }
})

test('a tunnel comes up, with its resolver as it is, while another change holds the lock or none can be had [NODE-134]', async (context) => {
  const { machine, set } = await site(context)
  await set({ isManaged: true })
  for (const [spoil, mend] of [
    [() => machine.set('fail-flock--w'), () => machine.unset('fail-flock--w')],
    [
      () => renameSync(join(machine.root, 'run/lock'), join(machine.root, 'run/no-lock')),
      () => renameSync(join(machine.root, 'run/no-lock'), join(machine.root, 'run/lock')),
    ],
  ] as const) {
    machine.unset('domain')
    spoil()
    runHook(machine)
    assert.deepEqual([machine.state('domain'), machine.state('llmnr')], ['', 'no\n'])
    mend()
    runHook(machine)
    assert.equal(machine.state('domain'), '~.\n')
  }
})

test('a machine whose resolver is being changed by another says so, by the lock of both [NODE-134]', async (context) => {
  const { machine, set } = await site(context)
  assert.equal(machine.read(LOCK), '')
  // As after the twenty seconds that the lock is waited for.
  machine.set('fail-flock--w')
  await assert.rejects(set({ isManaged: true }), { code: 'vpn.peer_dns_busy' })
  assert.equal(machine.read(STATE), undefined)
})
