import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { waitFor } from '../../lab/wait.ts'
import { fileOn, onHosts } from './site.ts'
import { type Member, startTunnelNet, type TunnelNet } from './tunnel-net.ts'

/** What the fleet's DNS says of names that are not its own, and what another server says: both know every name. */
const BY_FLEET = '198.51.100.7'
const BY_OTHER = '198.51.100.9'

/** A name server on an address of the hub, which answers all names with one address and those below `fleet` with another. */
const serve = ({ host }: Member, unit: string, at: string, all: string, own = all): Promise<string> =>
  host.run([
    'systemd-run',
    '--quiet',
    `--unit=${unit}`,
    '--',
    'dnsmasq',
    '--keep-in-foreground',
    '--conf-file=/dev/null',
    '--pid-file=',
    '--no-resolv',
    '--no-hosts',
    '--bind-interfaces',
    '--except-interface=lo',
    `--listen-address=${at}`,
    `--address=/#/${all}`,
    `--address=/fleet/${own}`,
  ])

/** The address that programs of the machine get for a name; empty when they get none. */
async function lookUp({ host }: Member, name: string): Promise<string> {
  await host.run(['resolvectl', 'flush-caches'])
  const { stdout } = await host.attempt(['timeout', '20', 'getent', 'ahostsv4', name])
  return stdout.split(' ')[0] ?? ''
}

const lookUpBoth = async (member: Member): Promise<readonly string[]> => [
  await lookUp(member, 'gateway.fleet'),
  await lookUp(member, 'elsewhere.example'),
]

const lifeOf = ({ host }: Member): Promise<string> =>
  host.run(['systemctl', 'show', '--property=InvocationID', 'wg-quick@fleet.service'])

/** A hub with both name servers, and the record of a peer that has joined. */
async function withPeer(
  given: Parameters<TunnelNet['enter']>[1],
  work: (net: TunnelNet, hub: Member, peer: Member) => Promise<void>,
): Promise<void> {
  await using net = await startTunnelNet()
  const hub = await net.enter('hub')
  await net.join(hub)
  await serve(hub, 'private-dns', hub.address, BY_FLEET, hub.address)
  await serve(hub, 'other-dns', hub.host.address, BY_OTHER)
  const override = given?.dns_server_override === undefined ? {} : { dns_server_override: hub.host.address }
  const peer = await net.enter('peer', { ...given, ...override })
  await net.join(peer)
  await work(net, hub, peer)
}

test(
  'a managed peer resolves everything through the fleet, after a power cut too, and a repair brings that back [NODE-130, NODE-133]',
  onHosts,
  () =>
    withPeer({ roles: ['app-dev'] }, async (net, hub, peer) => {
      assert.deepEqual(await lookUpBoth(peer), [hub.address, BY_FLEET])
      await peer.host.kill()
      await peer.host.revive()
      const back = await waitFor(30, async () =>
        (await lookUp(peer, 'gateway.fleet')) === hub.address ? true : undefined,
      )
      assert.ok(back)
      assert.equal(await lookUp(peer, 'elsewhere.example'), BY_FLEET)
      await peer.host.run(['resolvectl', 'revert', 'fleet'])
      assert.equal(await lookUp(peer, 'gateway.fleet'), '')
      const node = { id: peer.id, name: 'peer' }
      assert.deepEqual(await net.network.repairDns(fakeCall(), 'peer'), { node, changed: true })
      assert.deepEqual(await lookUpBoth(peer), [hub.address, BY_FLEET])
      assert.deepEqual(await net.network.repairDns(fakeCall(), 'peer'), { node, changed: false })
      // Without the fleet's DNS a managed peer has no names; what knows addresses continues.
      await hub.host.run(['systemctl', 'stop', 'private-dns'])
      assert.equal(await lookUp(peer, 'elsewhere.example'), '')
      assert.equal(await net.overTunnel(peer, 'hostname'), 'peer\n')
    }),
)

test(
  'the first role takes the DNS line from a peer and the last one brings it back, and the tunnel runs on [NODE-065, NODE-130]',
  onHosts,
  () =>
    withPeer({}, async (net, hub, peer) => {
      const line = `\nDNS = ${hub.address}\n`
      const life = await lifeOf(peer)
      const session = await net.session(peer)
      assert.ok((await fileOn(peer.host, '/etc/wireguard/fleet.conf'))?.includes(line))
      assert.deepEqual(await lookUpBoth(peer), [hub.address, BY_FLEET])
      await net.network.tunnel.applyResolver(session, true)
      assert.equal((await fileOn(peer.host, '/etc/wireguard/fleet.conf'))?.includes(line), false)
      assert.deepEqual(await lookUpBoth(peer), [hub.address, BY_FLEET])
      await net.network.tunnel.applyResolver(session, false)
      assert.equal(await fileOn(peer.host, '/etc/wireguard/fleet.dns-link'), undefined)
      assert.deepEqual(await lookUpBoth(peer), [hub.address, BY_FLEET])
      assert.equal(await lifeOf(peer), life)
    }),
)

test(
  'a peer with a DNS server of its own asks the fleet for private names and its top-level domain alone [NODE-131]',
  onHosts,
  () =>
    withPeer({ roles: ['app-dev'], tld: 'web.test', dns_server_override: '' }, async (_net, hub, peer) => {
      assert.deepEqual(await lookUpBoth(peer), [hub.address, BY_OTHER])
      assert.equal(await lookUp(peer, 'shop.web.test'), BY_FLEET)
      await hub.host.run(['systemctl', 'stop', 'private-dns'])
      assert.equal(await lookUp(peer, 'elsewhere.example'), BY_OTHER)
    }),
)

test(
  'the gateway’s own machine asks the fleet for private names alone, after a restart of the tunnel too [NODE-132]',
  onHosts,
  async () => {
    await using net = await startTunnelNet()
    const hub = await net.enter('hub')
    await net.join(hub)
    await serve(hub, 'private-dns', hub.address, BY_FLEET, hub.address)
    await net.network.tunnel.applyResolver(await net.session(hub), true)
    const drop = await fileOn(hub.host, '/etc/systemd/system/wg-quick@fleet.service.d/fleet-gateway-dns.conf')
    assert.ok(drop?.includes('resolvectl domain fleet ~fleet\n'))
    for (const restart of [false, true]) {
      if (restart) await hub.host.run(['systemctl', 'restart', 'wg-quick@fleet'])
      assert.equal(await lookUp(hub, 'gateway.fleet'), hub.address)
      assert.notEqual(await lookUp(hub, 'elsewhere.example'), BY_FLEET)
    }
  },
)
