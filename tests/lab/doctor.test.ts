import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertHealthy, codesIn, issuesIn, repair, reportOf, restore } from './doctor-report.ts'
import { type InstalledFleet, startInstalledFleet } from './installed.ts'
import { onHosts } from './site.ts'

const shared = new AsyncDisposableStack()
let begun: Promise<InstalledFleet> | undefined
after(() => shared.disposeAsync())

/** One fleet for all tests; each leaves it as healthy as it found it. */
const theFleet = (): Promise<InstalledFleet> =>
  (begun ??= startInstalledFleet({ name: 'doc', nodes: [{ name: 'web', roles: ['app-prod'] }] }).then(
    (fleet) => shared.use(fleet),
  ))

test(
  'an installed fleet is healthy, says so, and names the families that were not inspected [DRF-005]',
  onHosts,
  async () => {
    const fleet = await theFleet()
    await assertHealthy(fleet)
    const { stdout } = await fleet.gateway.fleet(['doctor'])
    assert.match(stdout, /^Healthy: \d+ checks of 2 Nodes\.\nNot inspected: [\w, ]*\bproject\b[\w, ]*\.\n$/)
  },
)

test(
  'callers of a Node are limited to accounts by its firewall, and Doctor finds and mends another limit',
  onHosts,
  async () => {
    const fleet = await theFleet()
    const web = fleet.node('web')
    const { wireguard_ip: gateway } = await fleet.record('node:show', '1')
    const name = fleet.nameOf('web')
    const mayCall = async (account: string): Promise<boolean> => {
      const connect = `timeout 5 bash -c '</dev/tcp/${String(gateway)}/443'`
      return (await web.attempt(['runuser', '-u', account, '--', 'sh', '-c', connect])).status === 0
    }
    const callers = async () => [await mayCall('root'), await mayCall('fleet'), await mayCall('daemon')]
    assert.deepEqual(await callers(), [true, true, true])
    assert.equal(
      (await fleet.refused('node:firewall:callers', name, '--accounts', 'nobody-here')).code,
      'firewall.account_unknown',
    )
    assert.deepEqual(await callers(), [true, true, true])
    try {
      await fleet.record('node:firewall:callers', name, '--accounts', 'fleet')
      assert.deepEqual(await callers(), [true, true, false])
      await assertHealthy(fleet)
      await web.run(['nft', 'delete', 'table', 'inet', 'fleet_callers'])
      const found = issuesIn(await reportOf(fleet))
      assert.deepEqual(
        found.map(({ code }) => code),
        ['firewall.callers_mismatch'],
      )
      await repair(fleet, found[0])
      await assertHealthy(fleet)
      assert.deepEqual(await callers(), [true, true, false])
      // As after a boot.
      await web.run(['nft', 'delete', 'table', 'inet', 'fleet_callers'])
      await web.run(['systemctl', 'restart', 'fleet-callers'])
      assert.deepEqual(await callers(), [true, true, false])
    } finally {
      await fleet.record('node:firewall:callers', name, '--no-accounts')
    }
    assert.deepEqual(await callers(), [true, true, true])
    await assertHealthy(fleet)
  },
)

test(
  'a Node that stands still is reported once by each family, within seconds, and nothing of the others is lost [DRF-013, DRF-017, DRF-039, DRF-058]',
  onHosts,
  async () => {
    const fleet = await theFleet()
    const host = fleet.node('web')
    await host.pause()
    try {
      const began = performance.now()
      const report = await reportOf(fleet)
      assert.ok(performance.now() - began < 15_000, 'a dead Node costs its probe')
      assert.deepEqual(
        codesIn(report),
        [
          // No Schedule of it is recorded: that family has nothing there.
          'node.ssh_unreachable',
          'role.node_unreachable',
          'firewall.node_unreachable',
        ].map((code) => `${fleet.nameOf('web')} ${code}`),
      )
      assert.equal(report.nodes.find(({ node_name: name }) => name === 'gateway')?.healthy, true)
    } finally {
      await host.resume()
      await assertHealthy(fleet)
    }
  },
)

test('little space is reported by a machine that cannot write any more [DRF-026]', onHosts, async () => {
  const fleet = await theFleet()
  const host = fleet.node('web')
  await host.fillDisk()
  try {
    assert.deepEqual(codesIn(await reportOf(fleet)), [`${fleet.nameOf('web')} node.disk_low`])
  } finally {
    host.freeDisk()
    await restore(fleet)
  }
})

test(
  'a report of a fleet with much wrong holds no path, no URL and no output of a machine [DRF-014]',
  onHosts,
  async () => {
    const fleet = await theFleet()
    const line = 'systemctl stop caddy fleet-agent; echo secret-text >/etc/fleet/agent/secret; ufw disable'
    await fleet.node('web').run(['sh', '-c', line])
    try {
      const report = await reportOf(fleet)
      assert.ok(codesIn(report).length >= 4)
      // The last lines of a unit's journal are masked text of the machine (decision 0116).
      const own = JSON.stringify(report, (name, value: unknown) => (name === 'service' ? undefined : value))
      assert.doesNotMatch(own, /\/etc|\/opt|https?:/)
      assert.doesNotMatch(JSON.stringify(report), /secret-text/)
      const { stdout } = await fleet.gateway.fleet(['doctor'])
      assert.match(
        stdout,
        /node\.agent_inactive {2}The agent is installed but not running, or does not start at boot\./,
      )
    } finally {
      await restore(fleet)
    }
  },
)
