import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { waitFor } from '../../lab/wait.ts'
import { canHaveLab, fileOn, onHosts } from './site.ts'
import { startStream } from './stream.ts'
import { type Member, startTunnelNet, type TunnelNet } from './tunnel-net.ts'

const CONF = '/etc/wireguard/fleet.conf'

interface Site extends AsyncDisposable {
  readonly net: TunnelNet
  readonly hub: Member
  readonly one: Member
  readonly two: Member
}

/** One tunnel for all tests. Each leaves these three as it found them: joined, and nobody else. */
let shared: Site | undefined
before(async () => {
  if (canHaveLab) shared = await startSite()
})
after(() => shared?.[Symbol.asyncDispose]())

async function startSite(): Promise<Site> {
  await using stack = new AsyncDisposableStack()
  const net = stack.use(await startTunnelNet())
  const [hub, one, two] = [await net.enter('hub'), await net.enter('one'), await net.enter('two')]
  for (const member of [hub, one, two]) await net.join(member)
  const owned = stack.move()
  return { net, hub, one, two, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const site = (): Site => shared ?? assert.fail('the tunnel did not start')

/** One more member, which has not joined yet, and leaves with its test. */
async function guest(
  name: string,
  given?: Parameters<TunnelNet['enter']>[1],
): Promise<Member & AsyncDisposable> {
  const { net } = site()
  const member = await net.enter(name, given)
  const leave = async (): Promise<void> => {
    await net.network.tunnel.leave(fakeCall(), await net.record(member))
    await member.host.remove()
  }
  return { ...member, [Symbol.asyncDispose]: leave }
}

/** Tunnel addresses of the peers that the hub admits now, and of those in its file. */
async function admitted({ host }: Member): Promise<readonly [running: string[], stored: string[]]> {
  const running = await host.run(['wg', 'show', 'fleet', 'allowed-ips'])
  const stored = (await fileOn(host, CONF)) ?? ''
  const addresses = (text: string): string[] =>
    [...text.matchAll(/(10\.44\.\d+\.\d+)\/32/g)].map(([, address = '']) => address).toSorted()
  return [addresses(running), addresses(stored)]
}

const bothAre = (members: readonly Member[]): [string[], string[]] => {
  const addresses = members.map(({ address }) => address).toSorted()
  return [addresses, addresses]
}

/** What would be another one after a restart of the tunnel. */
const lifeOf = ({ host }: Member): Promise<string> =>
  host.run(['systemctl', 'show', '--property=InvocationID,MainPID', 'wg-quick@fleet.service'])

const identityOf = ({ host }: Member): readonly number[] => {
  const { ino, mtimeMs, mode } = statSync(join(host.root, CONF))
  return [ino, mtimeMs, mode & 0o777]
}

/** Fails with what was wrong at last when a member does not answer over the tunnel for a minute. */
async function requireAnswer(member: Member): Promise<void> {
  const { net } = site()
  let last: unknown
  const isThere = await waitFor(60, async () => {
    const said = await net.overTunnel(member, 'hostname').catch((error: unknown) => (last = error))
    return said === `${member.host.name}\n` ? true : undefined
  })
  assert.ok(isThere, `${member.host.name} does not answer: ${String(last)}`)
}

test(
  'members join, come and go while traffic between two others flows on, and nothing is written twice [NODE-053]',
  onHosts,
  async () => {
    const { net, hub, one, two } = site()
    await using three = await guest('three')
    assert.equal(new Set([hub, one, two, three].map(({ address }) => address)).size, 4)
    const lives = await Promise.all([hub, one, two].map(lifeOf))
    const end = await startStream(one.host, two.host, two.address)
    const key = await net.join(three)
    assert.equal(await net.overTunnel(three, 'hostname'), 'three\n')
    assert.deepEqual(await admitted(hub), bothAre([one, two, three]))
    const node = await net.record(three)
    assert.equal(await net.network.tunnel.leave(fakeCall(), node), true)
    assert.deepEqual(await admitted(hub), bothAre([one, two]))
    // Another request publishes meanwhile: the Node that leaves stays out.
    assert.equal(await net.network.tunnel.publish(fakeCall()), false)
    assert.equal(await net.network.tunnel.leave(fakeCall(), node), false)
    await net.network.tunnel.rejoin(fakeCall(), node)
    assert.deepEqual(await admitted(hub), bothAre([one, two, three]))
    const before = [hub, one, three].map(identityOf)
    net.asked.length = 0
    assert.equal(await net.network.tunnel.publish(fakeCall()), false)
    assert.equal(net.asked.length, 1)
    // A machine that is enrolled again is the member it was.
    assert.equal(await net.join(three), key)
    assert.deepEqual([hub, one, three].map(identityOf), before)
    assert.equal(before[0]?.[2], 0o600)
    const { sent, echoed } = await end()
    assert.ok(sent > 20, `${sent} datagrams`)
    assert.equal(echoed, sent)
    assert.deepEqual(await Promise.all([hub, one, two].map(lifeOf)), lives)
    assert.equal(await hub.host.run(['stat', '-c', '%a %U', '/etc/wireguard/fleet.key']), '600 root\n')
  },
)

/** WireGuard asks for a new session after so long without an answer. */
const PATIENCE_SECONDS = 15

test(
  'a member that was forgotten and is known again is spoken to by the hub, and one that joins so is reached',
  onHosts,
  async () => {
    const { net, hub, one, two } = site()
    const { tunnel } = net.network
    const node = await net.record(one)
    const end = await startStream(one.host, two.host, two.address)
    await tunnel.leave(fakeCall(), node)
    await tunnel.rejoin(fakeCall(), node)
    await requireAnswer(one)
    const { longestSeconds } = await end()
    assert.ok(longestSeconds < PATIENCE_SECONDS, `nothing for ${longestSeconds} s`)
    await tunnel.leave(fakeCall(), node)
    await net.join(one)
    assert.deepEqual(await admitted(hub), bothAre([one, two]))
  },
)

test(
  'tunnels come back after power cuts of a peer and of the hub, without anybody doing anything',
  onHosts,
  async () => {
    const { hub, one, two } = site()
    await one.host.kill()
    await one.host.revive()
    await requireAnswer(one)
    const end = await startStream(one.host, two.host, two.address)
    await hub.host.kill()
    await hub.host.revive()
    // The hub knows where its peers listen, so it need not wait until they speak.
    await requireAnswer(two)
    await requireAnswer(one)
    const { echoed, longestSeconds } = await end()
    assert.ok(echoed > 0 && longestSeconds > 0)
    assert.deepEqual(await admitted(hub), bothAre([one, two]))
  },
)

test(
  'a full disk refuses a publication and leaves the list as it was; then the identical one finishes [NODE-083]',
  onHosts,
  async () => {
    const { net, hub, one, two } = site()
    const stored = await fileOn(hub.host, CONF)
    const leaving = await net.record(one)
    await hub.host.fillDisk()
    await assert.rejects(net.network.tunnel.leave(fakeCall(), leaving), {
      code: 'vpn.server_config_install_failed',
      message: /No space is left on the Node hub at \/, \/home /,
      details: {
        node: { id: hub.id, name: 'hub' },
        reason: 'write_failed',
        full_file_systems: ['/', '/home'],
      },
    })
    assert.equal(await fileOn(hub.host, CONF), stored)
    assert.deepEqual(await admitted(hub), bothAre([one, two]))
    // What stands needs no disk.
    await net.network.tunnel.rejoin(fakeCall(), leaving)
    hub.host.freeDisk()
    assert.equal(await net.network.tunnel.leave(fakeCall(), leaving), true)
    assert.deepEqual(await admitted(hub), bothAre([two]))
    assert.deepEqual(await hub.host.run(['find', '/etc/wireguard', '-name', '*.fleet-new']), '')
    await net.network.tunnel.rejoin(fakeCall(), leaving)
  },
)

test('a silent peer holds up no publication, and a silent hub is named', onHosts, async () => {
  const { net, hub, one, two } = site()
  await using three = await guest('next')
  await one.host.cutOff()
  net.asked.length = 0
  await net.join(three)
  assert.deepEqual(
    net.asked.filter((shown) => shown.includes(one.address)),
    [],
  )
  assert.deepEqual(await admitted(hub), bothAre([one, two, three]))
  await one.host.restore()
  await requireAnswer(one)
  await hub.host.pause()
  await assert.rejects(net.network.tunnel.publish(fakeCall()), (error: Error & { details?: unknown }) => {
    const addresses = [`${hub.address}:22`]
    assert.deepEqual(error.details, { node: { id: hub.id, name: 'hub' }, addresses })
    return true
  })
  await hub.host.resume()
  await requireAnswer(hub)
})

/** Milliseconds after which the power of a machine goes; the work itself takes some hundred. */
const MOMENTS = [30, 120, 300]

const pause = (milliseconds: number): Promise<unknown> =>
  waitFor(milliseconds / 1000, () => Promise.resolve(undefined))

test(
  'a hub whose power goes during a publication has the old list or the new one, and the identical publication finishes',
  onHosts,
  async () => {
    const { net, hub, one, two } = site()
    let isIn = true
    for (const moment of MOMENTS) {
      const node = await net.record(one)
      const { tunnel } = net.network
      const change = (): Promise<unknown> =>
        isIn ? tunnel.leave(fakeCall(), node) : tunnel.rejoin(fakeCall(), node)
      const interrupted = change().catch(() => undefined)
      await pause(moment)
      await hub.host.kill()
      await interrupted
      await hub.host.revive()
      const found = await admitted(hub)
      assert.ok(
        [bothAre([two]), bothAre([one, two])].some((list) => list.join('|') === found.join('|')),
        String(found),
      )
      await requireAnswer(hub)
      await change()
      isIn = !isIn
      assert.deepEqual(await admitted(hub), bothAre(isIn ? [one, two] : [two]))
    }
    await net.network.tunnel.rejoin(fakeCall(), await net.record(one))
  },
)

test(
  'a machine whose power goes while it joins joins by the identical request, with its key',
  onHosts,
  async () => {
    const { net, hub, one, two } = site()
    await using late = await guest('late')
    for (const moment of MOMENTS.map((milliseconds) => milliseconds * 3)) {
      const interrupted = net.join(late).catch(() => undefined)
      await pause(moment)
      await late.host.kill()
      await interrupted
      await late.host.revive()
      const key = await net.join(late)
      assert.equal((await net.record(late)).wireguard_public_key, key)
      assert.equal(await net.overTunnel(late, 'hostname'), 'late\n')
      assert.deepEqual(await admitted(hub), bothAre([one, two, late]))
    }
  },
)

test(
  'an endpoint that leads nowhere is named, and the identical request finishes once it is right [NODE-049]',
  onHosts,
  async () => {
    const { net, hub } = site()
    const nowhere = `${net.lab.addresses.machine}:9`
    await using astray = await guest('astray', { wireguard_endpoint_override: nowhere })
    await assert.rejects(net.join(astray), {
      code: 'vpn.peer_handshake_failed',
      details: { node: { id: astray.id, name: 'astray' }, reason: 'handshake_failed' },
    })
    const nodes = net.store.db.updateTable('nodes').where('id', '=', astray.id)
    await nodes.set({ wireguard_endpoint_override: `${hub.host.address}:51820` }).execute()
    await net.join(astray)
    assert.equal(await net.overTunnel(astray, 'hostname'), 'astray\n')
  },
)

test(
  'members reach each other through the hub whatever its firewall forwards [FW-036]',
  onHosts,
  async () => {
    const { hub, one, two } = site()
    for (const rule of ['22/tcp', '51820/udp']) await hub.host.run(['ufw', 'allow', rule])
    await hub.host.run(['ufw', '--force', 'enable'])
    const end = await startStream(one.host, two.host, two.address)
    await hub.host.run(['ufw', 'reload'])
    await hub.host.run(['systemctl', 'restart', 'wg-quick@fleet'])
    await requireAnswer(two)
    assert.ok((await end()).echoed > 0)
    const again = await startStream(one.host, two.host, two.address)
    assert.ok((await again()).echoed > 0)
    await hub.host.run(['ufw', 'disable'])
  },
)
