import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { SshFailure, type SshPool } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import {
  testDomains,
  addNode,
  addRole,
  fakeCall,
  openTestStore,
  type TunnelMachine,
  tunnelMachine,
} from '@fleet/testing'
import { fleetLock } from '#/locks/api.ts'
import type { Network } from '#/network/network.ts'
import type { NodeRecord, Nodes } from '#/nodes/api.ts'

const PUBLIC = { hub: '203.0.113.1', web: '203.0.113.2' } as const
const TUNNEL = { hub: '10.44.0.1', web: '10.44.0.2' } as const
type Name = keyof typeof PUBLIC

interface World {
  readonly store: Store
  readonly network: Network
  readonly nodes: Nodes
  readonly machines: Readonly<Record<Name, TunnelMachine>>
  /** `address command`, in order. */
  readonly asked: string[]
  /** No command reaches this address any more. */
  silent: string | undefined
  /** Told before each command, also of those that shall not reach. */
  onCommand: () => void
  node(name: Name): Promise<NodeRecord>
  join(name: Name): Promise<{ readonly publicKey: string }>
}

/** Two machines, each reached on its public address and in the tunnel; the hub has joined. */
async function world(context: TestContext): Promise<World> {
  const stack = new AsyncDisposableStack()
  context.after(() => stack.disposeAsync())
  const store = stack.use(await openTestStore())
  const machines = { hub: stack.use(tunnelMachine()), web: stack.use(tunnelMachine()) }
  const asked: string[] = []
  // One folder is the root of whichever machine a command reaches.
  const domains = testDomains({ store, ssh: poolOver(machines, asked, () => own), root: '.' })
  const { network } = domains
  const { nodes } = domains.nodes
  await network.configure({ range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' })
  for (const name of ['hub', 'web'] as const) {
    const given = { user: 'root', public_ssh_host: PUBLIC[name], wireguard_ip: TUNNEL[name] }
    const { id } = await addNode(store, { ...given, name, public_ssh_port: 22, roles: [] })
    if (name === 'hub') await addRole(store, { node_id: id, role: 'vpn', status: 'provisioning' })
  }
  const node = async (name: Name): Promise<NodeRecord> => {
    const found = (await nodes.list()).find((record) => record.name === name)
    assert.ok(found)
    return found
  }
  const own: World = {
    store,
    network,
    nodes,
    machines,
    asked,
    silent: undefined,
    onCommand: () => undefined,
    node,
    join: async (name) => {
      const session = nodes.sessions.overPublicSsh(fakeCall(), await node(name), 'root')
      return network.tunnel.join(session, { isHub: name === 'hub' })
    },
  }
  return own
}

function poolOver(
  machines: Readonly<Record<Name, TunnelMachine>>,
  asked: string[],
  world: () => World,
): SshPool {
  return {
    ...machines.hub.pool,
    run: async (target, command, options) => {
      asked.push(`${target.host} ${command.shown}`)
      world().onCommand()
      if (target.host === world().silent) throw new SshFailure('unreachable', false)
      const name = target.host === PUBLIC.hub || target.host === TUNNEL.hub ? 'hub' : 'web'
      const { root, pool } = machines[name]
      // What a test puts in the folder `evil` answers in the place of the machine's own programs.
      const line = `cd '${root}' && PATH="$PWD/evil:$PATH" && ${command.line}`
      return pool.run(target, { ...command, line }, options)
    },
  }
}

test('a hub joins by its key, its configuration and SSH over its own address, and the key is recorded [NODE-053]', async (context) => {
  const own = await world(context)
  const { publicKey } = await own.join('hub')
  assert.equal((await own.node('hub')).wireguard_public_key, publicKey)
  assert.deepEqual(own.asked, [
    "203.0.113.1 script 'make the key of the tunnel' .",
    `203.0.113.1 script 'settle the tunnel' hub 10.44.0.1/16`,
    '10.44.0.1 true',
  ])
})

test('the hub gets its peers while no other request publishes', async (context) => {
  const own = await world(context)
  const holders: Array<Promise<unknown>> = []
  own.onCommand = () => void holders.push(own.store.locks.holderOf(fleetLock('network').name))
  await own.join('hub')
  const held = (await Promise.all(holders)).map((holder) => holder !== undefined)
  // Its key, its peers, SSH over its tunnel.
  assert.deepEqual(held, [false, true, false])
})

test('a peer gets its key, then its place on the hub, then its tunnel, then SSH over it [NODE-053]', async (context) => {
  const own = await world(context)
  const hub = await own.join('hub')
  own.asked.length = 0
  const { publicKey } = await own.join('web')
  assert.deepEqual(own.asked, [
    "203.0.113.2 script 'make the key of the tunnel' .",
    `10.44.0.1 script 'settle the tunnel' hub 10.44.0.1/16`,
    `203.0.113.2 script 'settle the tunnel' peer 10.44.0.2/32`,
    '10.44.0.2 true',
  ])
  const conf = own.machines.web.read('etc/wireguard/fleet.conf') ?? ''
  assert.ok(conf.includes(`\nPublicKey = ${hub.publicKey}\n`))
  assert.ok(conf.includes('\nEndpoint = 203.0.113.1:51820\n'))
  assert.equal(own.machines.hub.state('peers'), `${publicKey}\t10.44.0.2/32\n`)
  const secret = own.machines.web.read('etc/wireguard/fleet.key')?.trim() ?? 'none'
  assert.equal(
    own.asked.some((shown) => shown.includes(secret)),
    false,
  )
  assert.deepEqual(await own.join('web'), { publicKey, changed: false })
})

test('a hub that has lost its key joins again without asking where no Node knows it, and not unasked where one does', async (context) => {
  const own = await world(context)
  const { machines } = own
  const lose = (): void => {
    for (const name of ['key', 'conf']) machines.hub.remove(`etc/wireguard/fleet.${name}`)
    machines.hub.set('private', '(none)\n')
  }
  const first = await own.join('hub')
  lose()
  const second = await own.join('hub')
  assert.notEqual(second.publicKey, first.publicKey)
  await own.join('web')
  lose()
  await assert.rejects(own.join('hub'), {
    code: 'vpn.peer_key_failed',
    details: { node: { id: 1, name: 'hub' }, reason: 'key_lost' },
  })
  assert.equal((await own.node('hub')).wireguard_public_key, second.publicKey)
})

/** The record of `web` becomes that of another machine, and `web` is a new Node of the same machine as a copy of it. */
async function copyWeb({ store, node }: World): Promise<string> {
  const { id, wireguard_public_key: key } = await node('web')
  const original = { name: 'original', public_ssh_host: '203.0.113.9', wireguard_ip: '10.44.0.9' }
  await store.db.updateTable('nodes').set(original).where('id', '=', id).execute()
  const given = { user: 'root', public_ssh_host: PUBLIC.web, wireguard_ip: TUNNEL.web }
  await addNode(store, { ...given, name: 'web', public_ssh_port: 22, roles: [] })
  return key ?? assert.fail()
}

test('a copy of an enrolled machine joins with a key of its own, and the original keeps its tunnel', async (context) => {
  const own = await world(context)
  await own.join('hub')
  await own.join('web')
  const originals = await copyWeb(own)
  const { publicKey } = await own.join('web')
  assert.notEqual(publicKey, originals)
  const peers = own.machines.hub.state('peers').trim().split('\n')
  assert.deepEqual(new Set(peers), new Set([`${originals}\t10.44.0.9/32`, `${publicKey}\t${TUNNEL.web}/32`]))
  assert.deepEqual(await own.join('web'), { publicKey, changed: false })
})

test('a machine that answers with the key of another Node is refused, and the key stays where it is', async (context) => {
  const own = await world(context)
  await own.join('hub')
  await own.join('web')
  const originals = await copyWeb(own)
  own.machines.web.write('evil/wg', `#!/bin/sh\necho '${originals}'\n`, 0o755)
  const peers = own.machines.hub.state('peers')
  await assert.rejects(own.join('web'), {
    code: 'vpn.peer_key_failed',
    message: /tunnel key of the Node original/,
  })
  assert.equal((await own.node('web')).wireguard_public_key, null)
  assert.equal(own.machines.hub.state('peers'), peers)
})

test('a Node keeps its key where a younger one was recorded with the same', async (context) => {
  const own = await world(context)
  const { publicKey } = await own.join('hub')
  await own.store.db.updateTable('nodes').set({ wireguard_public_key: publicKey }).execute()
  assert.equal((await own.join('hub')).publicKey, publicKey)
})

test('a Node that is leaving is admitted by no publication until it comes back', async (context) => {
  const own = await world(context)
  await own.join('hub')
  await own.join('web')
  const web = await own.node('web')
  const { tunnel } = own.network
  assert.equal(await tunnel.leave(fakeCall(), web), true)
  assert.equal(await tunnel.leave(fakeCall(), web), false)
  assert.equal(await tunnel.publish(fakeCall()), false)
  assert.equal(own.machines.hub.state('peers'), '')
  await tunnel.rejoin(fakeCall(), web)
  assert.ok(own.machines.hub.state('peers').includes('10.44.0.2/32'))
  assert.equal(await tunnel.publish(fakeCall()), false)
  await tunnel.leave(fakeCall(), web)
  await own.join('web')
  assert.ok(own.machines.hub.state('peers').includes('10.44.0.2/32'))
})

test('what the records lack is refused before any machine is asked [NODE-049]', async (context) => {
  const own = await world(context)
  await assert.rejects(own.join('web'), { code: 'vpn.server_missing' })
  await own.join('hub')
  own.asked.length = 0
  const change = (name: Name, values: Partial<NodeRecord>) =>
    own.store.db.updateTable('nodes').set(values).where('name', '=', name).execute()
  await change('web', { wireguard_endpoint_override: 'fe80::1:51820' })
  await assert.rejects(own.join('web'), { code: 'vpn.configuration_invalid' })
  await change('web', { wireguard_endpoint_override: null, dns_server_override: 'dns.example.com' })
  await assert.rejects(own.join('web'), { code: 'vpn.configuration_invalid' })
  await change('web', { dns_server_override: null })
  await change('hub', { public_ssh_host: null })
  await assert.rejects(own.join('web'), { code: 'vpn.server_endpoint_missing' })
  await change('web', { wireguard_ip: null })
  await assert.rejects(own.join('web'), { code: 'vpn.peer_address_missing' })
  assert.deepEqual(own.asked, [])
})

test('a tunnel through which SSH does not answer is named with the reason [NODE-102]', async (context) => {
  const own = await world(context)
  await own.join('hub')
  own.silent = TUNNEL.web
  const { id } = await own.node('web')
  await assert.rejects(own.join('web'), {
    code: 'vpn.peer_ssh_failed',
    details: { node: { id, name: 'web' }, error_code: 'node.unreachable' },
  })
})

test('a peer whose tunnel stood when the hub forgot it is spoken to by the hub before SSH is tried again', async (context) => {
  const own = await world(context)
  await own.join('hub')
  const { publicKey } = await own.join('web')
  const endpoint = `${publicKey}\t${PUBLIC.web}:41820\n`
  assert.equal(own.machines.hub.state('endpoints'), '')
  own.silent = TUNNEL.web
  own.onCommand = () => {
    if (own.machines.hub.state('endpoints') === endpoint) own.silent = undefined
  }
  assert.deepEqual(await own.join('web'), { publicKey, changed: false })
  assert.equal(own.machines.hub.state('endpoints'), endpoint)
})

test('a hub that does not answer is the Node of the error, and the peer is as it was', async (context) => {
  const own = await world(context)
  await own.join('hub')
  own.silent = TUNNEL.hub
  const { id } = await own.node('hub')
  await assert.rejects(own.join('web'), {
    code: 'node.unreachable',
    details: { node: { id, name: 'hub' }, addresses: [`${TUNNEL.hub}:22`] },
  })
  assert.equal(own.machines.web.read('etc/wireguard/fleet.conf'), undefined)
})

test('the resolver of a peer is repaired once, and one that is in order is left alone [NODE-133]', async (context) => {
  const own = await world(context)
  await own.join('hub')
  await addRole(own.store, { node_id: (await own.node('web')).id, role: 'app-dev' })
  await own.store.db.updateTable('nodes').set({ platform: 'linux' }).execute()
  await own.join('web')
  own.machines.web.set('domain', '~elsewhere\n')
  const node = { id: (await own.node('web')).id, name: 'web' }
  assert.deepEqual(await own.network.repairDns(fakeCall(), 'web'), { node, changed: true })
  assert.equal(own.machines.web.state('domain'), '~.\n')
  assert.deepEqual(await own.network.repairDns(fakeCall(), 'web'), { node, changed: false })
  await assert.rejects(own.network.repairDns(fakeCall(), 'other'), { code: 'node.dns_repair_missing' })
  await assert.rejects(own.network.repairDns(fakeCall(), 'hub'), { code: 'node.dns_repair_vpn_server' })
})
