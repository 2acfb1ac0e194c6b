import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { doctorReport } from '@fleet/contract'
import { GatewayHost, type Host } from '../../lab/index.ts'
import { builtRelease, carryRelease, installGateway, installWords } from './install.ts'
import { carryVariant } from './release-variant.ts'
import { onHosts, testLab } from './site.ts'

let host: Host
/** What the installations said that were killed, by the step after which they were, and the one that was not. */
const killed = new Map<string, string>()
let completed: string

before(async () => {
  if (onHosts.skip !== undefined) return
  const lab = await testLab()
  host = await lab.host({ name: 'installed', roles: ['gateway', 'vpn'] })
  const folder = await carryRelease(host, await builtRelease())
  for (const step of ['account', 'identity', 'first Node', 'service'])
    killed.set(step, await killedAfter(folder, step))
  completed = await installGateway(host)
})
after(async () => {
  if (onHosts.skip === undefined) await host.remove()
})

const STEPS = ['machine', 'release', 'account', 'identity', 'first Node', 'service', 'answer', 'command line']

/** Ends the installation with SIGKILL once it has said that a step is done. Answers what it said. */
async function killedAfter(folder: string, step: string): Promise<string> {
  const words = installWords(host, folder).map((word) => `'${word}'`)
  const line = `echo $$ >/root/pid; exec ${words.join(' ')} >/root/said 2>&1`
  const running = host.attempt(['sh', '-c', line], { timeoutSeconds: 240 })
  const over = new AbortController()
  void running.finally(() => over.abort())
  const said = (): Promise<string> => host.run(['cat', '/root/said']).catch(() => '')
  while (!over.signal.aborted && !(await said()).includes(`ok       ${step} `)) await sleep(50)
  await host.attempt(['sh', '-c', 'kill -KILL $(cat /root/pid)'])
  await running
  return said()
}

test(
  'an installation that is killed after each of its steps is completed by the same command [NODE-064]',
  onHosts,
  async () => {
    for (const [step, said] of killed) {
      assert.match(said, new RegExp(`^ok +${step} `, 'm'))
      assert.doesNotMatch(said, /is installed/)
    }
    for (const step of STEPS) assert.match(completed, new RegExp(`^ok +${step} `, 'm'))
    const gateway = new GatewayHost(host)
    const [node] = (await gateway.data(['node:list'])) as Array<Readonly<Record<string, unknown>>> // Nodes of the contract.
    assert.deepEqual(
      [node?.['id'], node?.['name'], node?.['status'], node?.['roles'], node?.['wireguard_ip']],
      [1, 'gateway', 'active', ['gateway', 'vpn'], '10.44.0.1'],
    )
    assert.doesNotMatch(await host.run(['cat', '/root/.ssh/authorized_keys']), /fleet-gateway-installation/)
    assert.equal(await host.run(['stat', '-c', '%a %U %G', '/var/lib/fleet']), '1770 root fleet-gateway\n')
    const settings = await host.run(['stat', '-c', '%a %U %G', '/etc/fleet/gateway.env'])
    assert.match(settings, /^6[04]0 root /)
    // Nobody reads what the command says: no reason for it to end with a stack.
    assert.equal(await host.run(['sh', '-c', '{ fleet-gateway status | true; } 2>&1']), '')
    // A hub without a peer is as it should be.
    const { summary } = doctorReport.parse(await gateway.data(['doctor:run', '--families', 'role']))
    assert.deepEqual([summary.drift, summary.unverifiable], [0, 0])
    assert.ok(summary.checks > 10)
    // What root runs below it cannot be exchanged by the process whose home it is.
    const exchange = [
      'runuser',
      '-u',
      'fleet-gateway',
      '--',
      'mv',
      '/var/lib/fleet/private-dns',
      '/var/lib/fleet/own',
    ] as const
    assert.match((await host.attempt(exchange)).stderr, /Operation not permitted/)
    assert.equal(await processUser(), 'fleet-gateway\n')
  },
)

test(
  'the API is HTTPS on the tunnel address alone, verified by name and by address with the root [GW-001, GW-002]',
  onHosts,
  async () => {
    const port = async (address: string): Promise<string> =>
      (await host.attempt(['timeout', '2', 'bash', '-c', `exec 3<>/dev/tcp/${address}/443`])).status === 0
        ? 'open'
        : 'closed'
    assert.deepEqual(
      [await port('10.44.0.1'), await port(host.address), await port('127.0.0.1')],
      ['open', 'closed', 'closed'],
    )
    assert.equal(
      await host.run(['getent', 'ahostsv4', 'gateway.fleet']).then((text) => text.split(' ')[0]),
      '10.44.0.1',
    )
    for (const name of ['gateway.fleet', '10.44.0.1']) {
      const words = ['--fingerprint', await fingerprint(), '--json'] as const
      await host.run(['fleet', 'gateway:add', `by-${name.replaceAll('.', '-')}`, `https://${name}`, ...words])
    }
  },
)

test(
  'the same command on an installed machine changes nothing that it need not, and another release is refused',
  onHosts,
  async () => {
    const started = await host.run([
      'systemctl',
      'show',
      '-P',
      'ActiveEnterTimestampMonotonic',
      'fleet-gateway',
    ])
    await installGateway(host)
    assert.equal(
      await host.run(['systemctl', 'show', '-P', 'ActiveEnterTimestampMonotonic', 'fleet-gateway']),
      started,
    )
    const other = await carryVariant(host, 'other')
    const { status, stderr } = await host.attempt([...installWords(host, other)])
    assert.equal(status, 1)
    assert.match(
      stderr,
      /is already installed here; this release is other\.\n {2}next {2}fleet-gateway upgrade/,
    )
  },
)

const fingerprint = async (): Promise<string> =>
  Object(await new GatewayHost(host).data(['gateway:trust'])).sha256

/** The user of the gateway process, as the service manager names it. */
const processUser = (): Promise<string> =>
  host.run(['sh', '-c', 'ps -o user= -p $(systemctl show -P MainPID fleet-gateway)'])
