import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { GatewayHost, type Host } from '../../lab/index.ts'
import { builtRelease, carryRelease } from './install.ts'
import { type InstalledFleet, startInstalledFleet } from './installed.ts'
import { onHosts } from './site.ts'

const PASSPHRASE = 'correct horse battery staple'
const SECONDS = 240

/** What must be the same before and after: records, ids, keys. */
async function identityOf(gateway: GatewayHost): Promise<unknown> {
  const { host } = gateway
  return {
    nodes: await gateway.data(['node:list']),
    root: await gateway.data(['gateway:trust']),
    sshKey: await host.run(['fleet-gateway', 'ssh-key']),
    id: await host.run(['cat', '/var/lib/fleet/gateway.id']),
    tunnelKey: await host.run(['wg', 'show', 'fleet', 'public-key']),
    peers: await host.run(['wg', 'show', 'fleet', 'allowed-ips']),
    hostKey: await host.run(['cat', '/etc/ssh/ssh_host_ed25519_key.pub']),
  }
}

const restore = (host: Host, folder: string) =>
  host.attempt(
    [join(folder, 'install'), '--restore', '/root/kept', '--passphrase-file', '/root/passphrase'],
    {
      timeoutSeconds: SECONDS,
    },
  )

let started: InstalledFleet | undefined

// Not in the test, whose time is for what it proves.
before(async () => {
  if (onHosts.skip === undefined)
    started = await startInstalledFleet({ name: 'kept', nodes: [{ name: 'one', roles: [] }] })
})
after(async () => {
  await started?.[Symbol.asyncDispose]()
})

test(
  'a gateway that is wiped comes back from one file on a blank host: same ids and keys, Doctor clean, and its Nodes obey at once',
  onHosts,
  async () => {
    const fleet = started ?? assert.fail('there is no fleet')
    const { lab, gateway } = fleet
    const node = fleet.node('one')
    await node.run(['install', '-d', '-o', 'fleet', '-g', 'fleet', '/home/fleet/restored'])
    await gateway.data(['node:firewall:allow', 'gateway', 'metrics', '9100'])
    await takeFurtherRoles(gateway)
    await gateway.host.run(['sh', '-c', `umask 077; echo '${PASSPHRASE}' >/root/passphrase`])
    await gateway.host.run(['fleet-gateway', 'backup', '/root/kept', '--passphrase-file', '/root/passphrase'])
    assert.equal(await gateway.host.run(['stat', '-c', '%a %U', '/root/kept']), '600 root\n')
    const before = await identityOf(gateway)
    const address = gateway.host.address
    await fullDiskLeavesNothing(gateway.host)
    const kept = readFileSync(join(gateway.host.root, 'root/kept'))
    assert.equal(kept.includes('PRIVATE KEY'), false)
    await gateway.host.remove()

    await using blank = await lab.host({ name: fleet.nameOf('gateway'), roles: ['gateway', 'vpn'] })
    assert.equal(blank.address, address)
    writeFileSync(join(blank.root, 'root/kept'), kept)
    const folder = await carryRelease(blank, await builtRelease())
    writeFileSync(join(blank.root, 'root/passphrase'), 'another\n')
    const wrong = await restore(blank, folder)
    assert.equal(wrong.status, 1)
    assert.match(wrong.stderr, /The backup cannot be decrypted/)
    assert.equal(existsSync(join(blank.root, 'var/lib/fleet')), false)
    writeFileSync(join(blank.root, 'root/passphrase'), `${PASSPHRASE}\n`)
    const restored = await restore(blank, folder)
    assert.equal(restored.status, 0, `${restored.stdout}${restored.stderr}`)

    const again = new GatewayHost(blank)
    // The first thing that the Node hears of it; the gateway asks the Node before it stores the path.
    await again.data(['node:settings', fleet.nameOf('one'), '--settings.apps.path', '/home/fleet/restored'])
    assert.deepEqual(await identityOf(again), withApps(before, fleet.nameOf('one')))
    assert.match(await blank.run(['ufw', 'status']), /^9100\/tcp +ALLOW /m)
    const report = (await again.data(['doctor:run'])) as { readonly healthy?: boolean } // The report of the contract.
    assert.equal(report.healthy, true, JSON.stringify(report))

    const second = await restore(blank, folder)
    assert.equal(second.status, 1)
    assert.match(second.stderr, /already contains this gateway/)
  },
)

/** What `./install` does not give to a gateway. */
async function takeFurtherRoles(gateway: GatewayHost): Promise<void> {
  await gateway.data(['node:role:add', 'gateway', 'websocket'])
  await gateway.data(['cluster:create', 'office', 'lan'])
  await gateway.data(['cluster:node:attach', 'office', 'gateway'])
  await gateway.data(['cluster:router:set', 'office', 'gateway'])
}

/** On a full disk a backup is refused in one sentence, and the disk is as full as before. */
async function fullDiskLeavesNothing(host: Host): Promise<void> {
  const places = ['/root', '/var/lib/fleet']
  const names = () => host.run(['ls', '-A', ...places])
  const before = await names()
  await host.fillDisk()
  const { status, stderr } = await host.attempt(['fleet-gateway', 'backup', '/root/second'])
  host.freeDisk()
  assert.equal(status, 1)
  assert.match(
    stderr,
    /^fleet-gateway: The backup was not written, and nothing of it is left: the disk of \S+ is full \(0 MB free\)\.\n {2}next {2}Free some space/,
  )
  assert.equal(await names(), before)
}

/** The same with the one change that the test makes itself. */
function withApps(before: unknown, name: string): unknown {
  const { nodes, ...rest } = before as { readonly nodes: ReadonlyArray<{ readonly name: string }> } // The answer of a whole backup.
  const settings = { apps: { path: '/home/fleet/restored' } }
  return { nodes: nodes.map((one) => (one.name === name ? { ...one, settings } : one)), ...rest }
}
