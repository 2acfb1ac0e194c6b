import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { GatewayHost, type Host } from '../../lab/index.ts'
import { carryRelease, builtRelease, installGateway } from './install.ts'
import { carryVariant } from './release-variant.ts'
import { onHosts, testLab } from './site.ts'

const SECONDS = 240
const NAME = 'on-postgres'

/** A database for the gateway on the host itself, as the installation guide has it. */
async function prepareDatabase(host: Host): Promise<void> {
  const asPostgres = (statement: string) =>
    host.run(['runuser', '-u', 'postgres', '--', 'psql', '-v', 'ON_ERROR_STOP=1', '-c', statement])
  await host.run(['systemctl', 'start', 'postgresql'])
  await asPostgres("create role fleet login password 'canary-of-postgres'")
  await asPostgres('create database fleet owner fleet')
  const settings = [
    'FLEET_DATABASE_URL=postgres://fleet:canary-of-postgres@127.0.0.1/fleet',
    // A release that does not come up should be noticed soon.
    'FLEET_GATEWAY_RELEASE_SMOKE_TIMEOUT=20',
  ].join('\\n')
  await host.run([
    'sh',
    '-c',
    `printf '${settings}\\n' | install -D -m 0600 /dev/stdin /etc/fleet/gateway.env`,
  ])
}

/** Records, ids and keys. */
const identityOf = async (gateway: GatewayHost): Promise<unknown> => ({
  nodes: await gateway.data(['node:list']),
  clusters: await gateway.data(['cluster:list']),
  root: await gateway.data(['gateway:trust']),
  sshKey: await gateway.host.run(['fleet-gateway', 'ssh-key']),
  tunnelKey: await gateway.host.run(['wg', 'show', 'fleet', 'public-key']),
})

const versionOf = async (gateway: GatewayHost): Promise<unknown> =>
  Object(await gateway.data(['gateway:status'])).version

const upgrade = (host: Host, folder: string) =>
  host.attempt(['fleet-gateway', 'upgrade', folder], { timeoutSeconds: SECONDS })

test(
  'a gateway on PostgreSQL is installed, upgraded, brought back with its records from a release that fails, backed up, and restored on a blank host',
  { ...onHosts, timeout: 900_000 },
  async () => {
    const lab = await testLab()
    const wanted = { name: NAME, roles: ['gateway', 'vpn'], packages: ['postgresql'] } as const
    const host = await lab.host(wanted)
    await using stack = new AsyncDisposableStack()
    stack.defer(() => host.remove())
    await prepareDatabase(host)
    await installGateway(host)
    const gateway = new GatewayHost(host)
    await gateway.ready()
    assert.deepEqual(globSync('*.sqlite*', { cwd: join(host.root, 'var/lib/fleet') }), [])
    await gateway.data(['cluster:create', 'east', '--tld', 'east'])

    const moved = await upgrade(host, await carryVariant(host, 'v2'))
    assert.equal(moved.status, 0, `${moved.stdout}${moved.stderr}`)
    assert.equal(await versionOf(gateway), 'v2')
    const before = await identityOf(gateway)
    const returned = await upgrade(host, await carryVariant(host, 'spoiled', { isSpoiled: true }))
    assert.equal(returned.status, 1)
    assert.match(returned.stdout, /The gateway was rolled back to v2: spoiled failed at smoke\./)
    assert.equal(await versionOf(gateway), 'v2')
    assert.deepEqual(await identityOf(gateway), before)

    await host.run(['systemctl', 'restart', 'postgresql'])
    await gateway.ready()
    assert.deepEqual(await identityOf(gateway), before)

    await host.run(['sh', '-c', `umask 077; echo 'correct horse' >/root/passphrase`])
    await host.run(['fleet-gateway', 'backup', '/root/kept', '--passphrase-file', '/root/passphrase'])
    const kept = readFileSync(join(host.root, 'root/kept'))
    assert.equal(kept.includes('canary-of-postgres'), false)
    await stack.disposeAsync()

    await using blank = await lab.host(wanted)
    await prepareDatabase(blank)
    await blank.run(['rm', '/etc/fleet/gateway.env'])
    writeFileSync(join(blank.root, 'root/kept'), kept)
    writeFileSync(join(blank.root, 'root/passphrase'), 'correct horse\n')
    const folder = await carryRelease(blank, await builtRelease())
    const restored = await blank.attempt(
      [join(folder, 'install'), '--restore', '/root/kept', '--passphrase-file', '/root/passphrase'],
      { timeoutSeconds: SECONDS },
    )
    assert.equal(restored.status, 0, `${restored.stdout}${restored.stderr}`)
    const again = new GatewayHost(blank)
    await again.ready()
    assert.deepEqual(await identityOf(again), before)
    const report = (await again.data(['doctor:run'])) as { readonly healthy?: boolean } // The report of the contract.
    assert.equal(report.healthy, true, JSON.stringify(report))
  },
)
