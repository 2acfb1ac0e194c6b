import assert from 'node:assert/strict'
import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Secret } from '@fleet/kernel'
import { localSession, type TunnelMachine, tunnelMachine } from '@fleet/testing'
import { ownKey } from '#/network/commands/key.ts'
import { settleHub, settlePeer, type Settlement } from '#/network/commands/settle.ts'
import { hubConfiguration, peerConfiguration } from '#/network/configuration.ts'
import { planResolver, type ResolverFacts, WRITTEN } from '#/network/resolver-plan.ts'
import type { NodeSession } from '#/nodes/api.ts'

const CONF = 'etc/wireguard/fleet.conf'
const KEYS = ['b', 'c', 'd'].map((letter) => `${letter.repeat(42)}A=`)

interface Site {
  readonly machine: TunnelMachine
  readonly session: NodeSession
  settle(settlement: Settlement): Promise<boolean>
}

/** A machine that has its key. */
async function site(context: TestContext): Promise<Site> {
  const machine = tunnelMachine()
  context.after(() => machine[Symbol.dispose]())
  const session = localSession(machine.pool)
  await session.ask(ownKey, { root: machine.root, known: null, others: [] })
  return {
    machine,
    session,
    settle: (settlement) => session.ask(scriptOf(settlement), { root: machine.root, ...settlement }),
  }
}

const scriptOf = ({ kind }: Settlement) => (kind === 'hub' ? settleHub : settlePeer)

const hubOf = (...numbers: number[]): Settlement => hubWith(null, ...numbers)

const hubWith = (publicHost: string | null, ...numbers: number[]): Settlement => ({
  kind: 'hub',
  configuration: hubConfiguration({
    address: '10.44.0.1',
    prefix: 16,
    port: 51_820,
    peers: numbers.map((nodeId) => ({
      nodeId,
      publicKey: KEYS[nodeId] ?? '',
      address: `10.44.0.${nodeId + 2}`,
      publicHost,
    })),
  }),
  address: '10.44.0.1/16',
  port: 51_820,
  handshakeSeconds: 0,
})

const facts: ResolverFacts = {
  server: '10.44.0.1',
  suffix: 'fleet',
  tld: 'web.test',
  isHub: false,
  isGateway: false,
  isManaged: true,
  override: null,
}

function peerOf(
  given: { readonly host?: string; readonly resolver?: Partial<ResolverFacts> } = {},
): Settlement {
  const resolver = planResolver({ ...facts, ...given.resolver })
  const hub = { publicKey: KEYS[0] ?? '', endpoint: { host: given.host ?? '203.0.113.9', port: 51_820 } }
  return {
    kind: 'peer',
    configuration: peerConfiguration({ address: '10.44.0.7', hub, range: '10.44.0.0/16', resolver }),
    address: '10.44.0.7/32',
    port: 41_820,
    handshakeSeconds: 1,
    resolver,
    requiresResolver: resolver.keeper === 'link',
  }
}

const inode = ({ root }: TunnelMachine, path: string): readonly number[] => {
  const { ino, mtimeMs, mode } = statSync(join(root, path))
  return [ino, mtimeMs, mode & 0o777]
}

const reason = (code: string, word: string) => ({
  code,
  details: { node: { id: 7, name: 'web-1' }, reason: word },
})

test('a hub is written with the key of its machine, started and enabled, and then costs nothing more', async (context) => {
  const { machine, settle } = await site(context)
  assert.equal(await settle(hubOf(0, 1)), true)
  const { configuration } = hubOf(0, 1)
  const key = machine.read('etc/wireguard/fleet.key') ?? ''
  const head = '# Written by Fleet. Changes made here are replaced.\n[Interface]\n'
  assert.equal(machine.read(CONF), `${head}PrivateKey = ${key}${configuration}`)
  const [before, calls] = [inode(machine, CONF), machine.state('calls')]
  assert.equal(before[2], 0o600)
  assert.ok(calls.includes('systemctl enable wg-quick@fleet.service\n'))
  assert.equal(await settle(hubOf(0, 1)), false)
  assert.deepEqual(inode(machine, CONF), before)
  assert.equal(machine.state('calls'), calls)
})

test('only the peers that differ are touched, those that go first, and the tunnel is not restarted', async (context) => {
  const { machine, settle } = await site(context)
  await settle(hubOf(0, 1))
  machine.unset('calls')
  assert.equal(await settle(hubOf(1, 2)), true)
  assert.equal(
    machine.state('calls'),
    `wg set fleet peer ${KEYS[0]} remove peer ${KEYS[2]} allowed-ips 10.44.0.4/32\n`,
  )
  assert.equal(machine.state('peers'), `${KEYS[1]}\t10.44.0.3/32\n${KEYS[2]}\t10.44.0.4/32\n`)
})

test('a hub that cannot find a peer learns where it listens and speaks first; a peer that moved is left where it is', async (context) => {
  const { machine, settle } = await site(context)
  await settle(hubWith('203.0.113.7'))
  machine.unset('calls')
  // Whether this one finds the hub is being tried.
  assert.equal(await settle({ ...hubWith('203.0.113.7', 0), speaksFirst: KEYS[0] }), true)
  assert.equal(machine.state('calls'), `wg set fleet peer ${KEYS[0]} allowed-ips 10.44.0.2/32\n`)
  machine.unset('calls')
  await settle(hubWith('203.0.113.7'))
  machine.unset('calls')
  assert.equal(await settle(hubWith('203.0.113.7', 0)), true)
  const knock = `endpoint 203.0.113.7:41820 persistent-keepalive 25 peer ${KEYS[0]} persistent-keepalive 0`
  assert.equal(machine.state('calls'), `wg set fleet peer ${KEYS[0]} allowed-ips 10.44.0.2/32 ${knock}\n`)
  machine.set('endpoints', `${KEYS[0]}\t198.51.100.20:5000\n`)
  assert.equal(await settle(hubWith('203.0.113.7', 0)), false)
  machine.unset('calls')
  machine.set('endpoints')
  assert.equal(await settle(hubWith('203.0.113.7', 0)), true)
  assert.equal(machine.state('calls'), `wg set fleet peer ${KEYS[0]} ${knock}\n`)
  assert.equal(await settle(hubWith('203.0.113.7', 0)), false)
})

test('a peer that lost its hub while its tunnel ran finds it again without a restart', async (context) => {
  const { machine, settle } = await site(context)
  await settle(peerOf())
  machine.unset('calls')
  machine.set('peers')
  machine.set('endpoints')
  assert.equal(await settle(peerOf()), true)
  assert.equal(
    machine.state('calls'),
    `wg set fleet peer ${KEYS[0]} allowed-ips 10.44.0.0/16 endpoint 203.0.113.9:51820 persistent-keepalive 25\n`,
  )
})

test('a hub that died between file and peers is finished by the identical publication', async (context) => {
  const { machine, settle } = await site(context)
  await settle(hubOf(0))
  const peers = machine.state('peers')
  await settle(hubOf(0, 1))
  machine.set('peers', peers)
  assert.equal(await settle(hubOf(0, 1)), true)
  assert.equal(machine.state('peers'), `${KEYS[0]}\t10.44.0.2/32\n${KEYS[1]}\t10.44.0.3/32\n`)
})

test('a hub that refuses a peer keeps its earlier file [NODE-083]', async (context) => {
  const { machine, settle } = await site(context)
  await settle(hubOf(0))
  const before = machine.read(CONF)
  machine.set('fail-wg-set')
  await assert.rejects(settle(hubOf(0, 1)), reason('vpn.server_config_install_failed', 'start_failed'))
  assert.equal(machine.read(CONF), before)
})

test('what does not arrive whole changes nothing [NODE-083]', async (context) => {
  const { machine, session, settle } = await site(context)
  await settle(hubOf(0))
  const before = machine.read(CONF)
  const cut: typeof settleHub = { ...settleHub, stdin: () => new Secret('Address') }
  await assert.rejects(
    session.ask(cut, { root: machine.root, ...hubOf(0, 1) }),
    reason('vpn.server_config_install_failed', 'incomplete'),
  )
  assert.equal(machine.read(CONF), before)
})

test('a managed peer is started with its link pointed at the fleet by the PostUp hook [NODE-130]', async (context) => {
  const { machine, settle } = await site(context)
  assert.equal(await settle(peerOf()), true)
  assert.equal(machine.state('dns'), '10.44.0.1\n')
  assert.equal(machine.state('domain'), '~.\n')
  const calls = machine.state('calls')
  assert.equal(await settle(peerOf()), false)
  assert.equal(machine.state('calls'), calls)
  // Whoever restarts the tunnel, also a reboot, gets the same.
  machine.unset('dns')
  await machine.pool.run(
    { nodeId: 7, host: '', port: 22, user: 'root', fingerprint: '' },
    { line: 'systemctl restart wg-quick@fleet.service', shown: '' },
    { timeoutMilliseconds: 10_000 },
  )
  assert.equal(machine.state('dns'), '10.44.0.1\n')
})

test('a peer without roles has its resolver from the DNS line alone [NODE-065]', async (context) => {
  const { machine, settle } = await site(context)
  await settle(peerOf({ resolver: { isManaged: false } }))
  assert.equal(machine.read('etc/wireguard/fleet.dns-link'), undefined)
  assert.ok(machine.read(CONF)?.includes('\nDNS = 10.44.0.1\n'))
  assert.equal(machine.state('dns'), '10.44.0.1\n')
})

test('a peer whose new endpoint does not answer runs as before', async (context) => {
  const { machine, settle } = await site(context)
  await settle(peerOf())
  const before = machine.read(CONF)
  machine.set('silent')
  await assert.rejects(
    settle(peerOf({ host: '203.0.113.10' })),
    reason('vpn.peer_handshake_failed', 'handshake_failed'),
  )
  assert.equal(machine.read(CONF), before)
  assert.equal(machine.read('etc/wireguard/fleet.conf.previous'), undefined)
  machine.unset('silent')
  assert.equal(await settle(peerOf()), false)
})

test('a peer that died between file and restart is restarted by the identical request', async (context) => {
  const { machine, settle } = await site(context)
  await settle(peerOf())
  const applied = machine.read('run/fleet-wireguard.applied') ?? ''
  await settle(peerOf({ host: '203.0.113.10' }))
  machine.write('run/fleet-wireguard.applied', applied)
  machine.unset('calls')
  assert.equal(await settle(peerOf({ host: '203.0.113.10' })), true)
  assert.ok(machine.state('calls').includes('systemctl restart wg-quick@fleet.service\n'))
})

test('a tunnel that does not start is named, and the earlier one is brought back', async (context) => {
  const { machine, settle } = await site(context)
  machine.set('fail-systemctl-restart')
  await assert.rejects(settle(peerOf()), reason('vpn.peer_start_failed', 'start_failed'))
  machine.unset('fail-systemctl-restart')
  assert.equal(await settle(peerOf()), true)
})

test('a tunnel that does not start because its port is taken says so, and not when the port is its own', async (context) => {
  const socket = 'UNCONN 0 0 0.0.0.0:51820 0.0.0.0:*\n'
  for (const [wanted, code] of [
    [hubOf(0), 'vpn.server_config_install_failed'],
    [peerOf(), 'vpn.peer_start_failed'],
  ] as const) {
    const { machine, settle } = await site(context)
    machine.set('ports', socket)
    machine.set('fail-systemctl-restart')
    await assert.rejects(settle(wanted), ({ message, code: answered, details }) => {
      assert.match(message, /its UDP port is in use by something else on the machine/)
      assert.deepEqual([answered, details.reason], [code, 'port_taken'])
      return true
    })
  }
  const { machine, settle } = await site(context)
  await settle(hubOf(0))
  machine.set('ports', socket)
  machine.set('fail-wg-set')
  await assert.rejects(settle(hubOf(0, 1)), reason('vpn.server_config_install_failed', 'start_failed'))
})

test('a tunnel that does not start because another link has addresses of its range names that link', async (context) => {
  const { machine, settle } = await site(context)
  machine.set('in-range', '4: wg0    inet 10.44.7.1/16 scope global wg0\n')
  machine.set('fail-systemctl-restart')
  await assert.rejects(settle(peerOf()), ({ code, message, details }) => {
    assert.deepEqual([code, details.reason, details.link], ['vpn.peer_start_failed', 'range_taken', 'wg0'])
    assert.match(message, /its link wg0 has an address in the range of the fleet/)
    return true
  })
  machine.unset('fail-systemctl-restart')
  assert.equal(await settle(peerOf()), true, 'a link beside it that does no harm keeps nobody from starting')
})

test('a key that a configuration has is taken over, and one that is there stays [NODE-097]', async (context) => {
  const machine = tunnelMachine()
  context.after(() => machine[Symbol.dispose]())
  machine.write(CONF, `${WRITTEN}[Interface]\nPrivateKey = ${KEYS[2]}\n`)
  const session = localSession(machine.pool)
  const ask = (): Promise<string> => session.ask(ownKey, { root: machine.root, known: null, others: [] })
  const first = await ask()
  assert.equal(machine.read('etc/wireguard/fleet.key'), `${KEYS[2]}\n`)
  assert.equal(statSync(join(machine.root, 'etc/wireguard/fleet.key')).mode & 0o777, 0o600)
  machine.remove(CONF)
  assert.equal(await ask(), first)
})

test("a tunnel of somebody else under the name of Fleet's keeps its file and its key", async (context) => {
  const machine = tunnelMachine()
  context.after(() => machine[Symbol.dispose]())
  const theirs = `# my VPN\n[Interface]\nPrivateKey = ${KEYS[2]}\n`
  machine.write(CONF, theirs)
  const session = localSession(machine.pool)
  await assert.rejects(
    session.ask(ownKey, { root: machine.root, known: null, others: [] }),
    ({ message, code, details }) => {
      assert.match(message, /fleet\.conf of the machine is not written by Fleet, .*wg-quick@OTHER/)
      assert.deepEqual([code, details.reason], ['vpn.peer_config_install_failed', 'conf_foreign'])
      return true
    },
  )
  assert.equal(machine.read(CONF), theirs)
  assert.equal(machine.read('etc/wireguard/fleet.key'), undefined)
})

test('a server of names that the machine itself has under the name of a file of Fleet stays', async (context) => {
  const { machine, settle } = await site(context)
  const upstream = 'etc/systemd/resolved.conf.d/fleet-upstream.conf'
  machine.write(upstream, '[Resolve]\nDNS=192.0.2.1\n', 0o644)
  await settle(peerOf())
  assert.equal(machine.read(upstream), '[Resolve]\nDNS=192.0.2.1\n')
  machine.write(upstream, `${WRITTEN}[Resolve]\nDNS=192.0.2.2\n`, 0o644)
  await settle(peerOf())
  assert.equal(machine.read(upstream), undefined)
})

test('the key of a running tunnel whose files are gone is taken over, and only a machine without one makes a new key', async (context) => {
  const machine = tunnelMachine()
  context.after(() => machine[Symbol.dispose]())
  machine.set('link')
  machine.set('public', 'a public key')
  machine.set('private', `${KEYS[1]}\n`)
  const session = localSession(machine.pool)
  await session.ask(ownKey, { root: machine.root, known: null, others: [] })
  assert.equal(machine.read('etc/wireguard/fleet.key'), `${KEYS[1]}\n`)
  assert.doesNotMatch(machine.state('calls'), /genkey/)
  machine.remove('etc/wireguard/fleet.key')
  machine.set('private', '(none)\n')
  await session.ask(ownKey, { root: machine.root, known: null, others: [] })
  assert.match(machine.state('calls'), /genkey/)
})

test('the key by which the hub knows the machine is kept, whatever its file says by now', async (context) => {
  const machine = tunnelMachine()
  context.after(() => machine[Symbol.dispose]())
  const session = localSession(machine.pool)
  const ask = (known: string | null): Promise<string> =>
    session.ask(ownKey, { root: machine.root, known, others: [] })
  machine.set('link')
  machine.set('public', 'a public key')
  machine.set('private', `${KEYS[1]}\n`)
  const known = await ask(null)
  machine.write('etc/wireguard/fleet.key', `${KEYS[2]}\n`)
  assert.equal(await ask(known), known)
  assert.equal(machine.read('etc/wireguard/fleet.key'), `${KEYS[1]}\n`)
  // Another machine of the same name: nothing here is known, so its own key stays.
  machine.write('etc/wireguard/fleet.key', `${KEYS[2]}\n`)
  assert.notEqual(await ask('unknown'), known)
  assert.equal(machine.read('etc/wireguard/fleet.key'), `${KEYS[2]}\n`)
})

test('a hub whose key is lost gets no other one unasked, since every Node knows it by that; one that is put there is taken', async (context) => {
  const machine = tunnelMachine()
  context.after(() => machine[Symbol.dispose]())
  const session = localSession(machine.pool)
  const ask = (): Promise<string> =>
    session.ask(ownKey, { root: machine.root, known: 'lost', others: ['of a Node'], isKnownByOthers: true })
  await assert.rejects(ask(), reason('vpn.peer_key_failed', 'key_lost'))
  assert.equal(machine.read('etc/wireguard/fleet.key'), undefined)
  machine.write('etc/wireguard/fleet.key', `${KEYS[2]}\n`)
  await ask()
  assert.equal(machine.read('etc/wireguard/fleet.key'), `${KEYS[2]}\n`)
})

test('a peer whose resolver has a foreign state joins where that is set aside', async (context) => {
  const { machine, settle } = await site(context)
  machine.write('etc/wireguard/fleet.dns-link', 'dns 192.0.2.1\n')
  await assert.rejects(settle(peerOf()), reason('vpn.peer_dns_state_unsupported', 'state_unsupported'))
  assert.equal(await settle({ ...peerOf(), onForeignResolver: 'replace' }), true)
  assert.equal(machine.read('etc/wireguard/fleet.dns-link.foreign'), 'dns 192.0.2.1\n')
})

test('servers that stood in /etc/resolv.conf alone are kept when systemd-resolved took its place', async (context) => {
  const { machine, settle } = await site(context)
  machine.write('run/systemd/resolve/resolv.conf', '# none\n')
  machine.write(
    'etc/.resolv.conf.systemd-resolved.bak',
    'nameserver 127.0.0.1\nnameserver 192.0.2.1\nnameserver 192.0.2.2\n',
  )
  await settle(peerOf())
  assert.equal(
    machine.read('etc/systemd/resolved.conf.d/fleet-uplink.conf'),
    '# Written by Fleet. Changes made here are replaced.\n[Resolve]\nDNS=192.0.2.1 192.0.2.2\n',
  )
})

const LIST = 'etc/resolv.conf'
const OPERATORS = 'nameserver 198.51.100.8\n'

for (const [how, runs] of [
  ['does not run', false],
  ['ends with its restart', true],
] as const)
  test(`a tunnel is settled, and /etc/resolv.conf stays the operator's, where systemd-resolved ${how} and cannot be started [NODE-133]`, async (context) => {
    const { machine, settle } = await site(context)
    await settle(peerOf())
    machine.remove(LIST)
    machine.write(LIST, OPERATORS)
    machine.set('no-resolved')
    const apply = async (isGateway: boolean): Promise<unknown> => {
      if (runs) machine.set('resolved')
      else machine.unset('resolved')
      return settle(peerOf({ resolver: { isGateway } }))
    }
    await assert.rejects(apply(false), reason('vpn.peer_dns_apply_failed', 'dns_failed'))
    assert.equal(machine.read(LIST), OPERATORS)
    assert.equal(lstatSync(join(machine.root, LIST)).isFile(), true)
    await apply(true)
    assert.equal(lstatSync(join(machine.root, LIST)).isFile(), true)
    // Nothing was repaired by it, so that the next one reports no change either.
    assert.equal(await apply(true), false)
    assert.equal(machine.read(LIST), OPERATORS)
    const copies = readdirSync(join(machine.root, 'etc')).filter((name) => name.startsWith('resolv.conf.'))
    assert.equal(copies.length, runs ? 1 : 0)
  })

test('a systemd-resolved that was stopped is started before the list becomes its own [NODE-133]', async (context) => {
  const { machine, settle } = await site(context)
  await settle(peerOf())
  machine.remove(LIST)
  machine.write(LIST, OPERATORS)
  machine.unset('resolved')
  assert.equal(await settle(peerOf()), true)
  assert.equal(machine.read(LIST), 'nameserver 127.0.0.53\n')
})
