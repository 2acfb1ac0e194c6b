import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type DoctorReport, doctorReport, repairOf } from '@fleet/contract'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
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

const reportOf = async (fleet: InstalledFleet): Promise<DoctorReport> =>
  doctorReport.parse(await fleet.record('doctor'))

interface Found {
  readonly code: string
  readonly node: string
  readonly command: string | undefined
}

const issuesIn = (report: DoctorReport): readonly Found[] =>
  report.nodes.flatMap((node) =>
    node.families.flatMap(({ issues }) =>
      issues.map((issue) => ({
        code: issue.code,
        node: node.node_name,
        command: repairOf(issue.code, { ...issue, ...node }).command,
      })),
    ),
  )

const codesIn = (report: DoctorReport): readonly string[] =>
  issuesIn(report).map(({ node, code }) => `${node} ${code}`)

async function assertHealthy(fleet: InstalledFleet): Promise<void> {
  // A service that was started a moment ago may need another one.
  const healthy = await waitFor(20, async () => ((await reportOf(fleet)).healthy ? true : undefined))
  assert.deepEqual(healthy === true ? [] : codesIn(await reportOf(fleet)), [])
}

/** Runs the command that the report names. */
async function repair(fleet: InstalledFleet, issue: Found | undefined): Promise<void> {
  assert.ok(issue?.command !== undefined, 'the report names a command')
  const { status, stdout, stderr } = await fleet.gateway.fleet(['--yes', ...issue.command.split(' ')])
  assert.equal(status, 0, `${issue.command}\n${stdout}${stderr}`)
}

/** Whatever went wrong: what the reports name, again and again, until the next test may begin. */
async function heal(fleet: InstalledFleet): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    const report = await reportOf(fleet)
    if (report.healthy) return
    for (const issue of issuesIn(report).toReversed()) await repair(fleet, issue).catch(() => undefined)
  }
  await assertHealthy(fleet)
}

interface Mutation {
  /** What is told, and the row that says so. */
  readonly title: string
  readonly code: string
  /** Of the Node `web` when absent. */
  readonly on?: 'gateway'
  /** Breaks one thing, as root on the host. */
  readonly line: string
  /** What a person does on the host before the named command. */
  readonly byHand?: string
  /** Succeeds on the host after the repair. */
  readonly after?: string
  /** The hand alone makes it go: the machine only pretended. */
  readonly pretended?: true
}

/** A program in front of another that answers some words otherwise. */
const inFrontOf = (program: string, words: string, says: string): string => {
  const place = `/usr/local/sbin/${program.split('/').at(-1)}`
  return `printf '%s\n' '#!/bin/sh' 'if [ "$*" = "${words}" ]; then echo "${says}"; else exec ${program} "$@"; fi' >${place} && chmod 755 ${place}`
}

const MUTATIONS: readonly Mutation[] = [
  {
    title: 'a machine of another architecture is told [DRF-018]',
    code: 'node.architecture_mismatch',
    line: inFrontOf('/usr/bin/uname', '-m', 'riscv64'),
    byHand: 'rm /usr/local/sbin/uname',
    pretended: true,
  },
  {
    title: 'a machine of another platform is told [DRF-018]',
    code: 'node.platform_mismatch',
    line: inFrontOf('/usr/bin/uname', '-s', 'Darwin'),
    byHand: 'rm /usr/local/sbin/uname',
    pretended: true,
  },
  {
    title: 'another tunnel address is told [DRF-019]',
    code: 'node.wireguard_ip_mismatch',
    line: inFrontOf(
      '/usr/sbin/ip',
      '-o -4 addr show dev fleet',
      '3: fleet    inet 10.44.200.9/32 scope global fleet',
    ),
    byHand: 'rm /usr/local/sbin/ip',
    pretended: true,
  },
  {
    title: 'an agent that is gone is told and comes back [DRF-020]',
    code: 'node.agent_missing',
    line: 'systemctl disable --now fleet-agent && rm /etc/systemd/system/fleet-agent.service && systemctl daemon-reload',
  },
  {
    title: 'an agent that was stopped is told and runs again [DRF-020]',
    code: 'node.agent_inactive',
    line: 'systemctl stop fleet-agent',
  },
  {
    title: 'another executable is told and replaced [DRF-021]',
    code: 'node.agent_binary_mismatch',
    line: 'cp /usr/bin/true /opt/fleet/bin/other && mv /opt/fleet/bin/other /opt/fleet/bin/fleet',
  },
  {
    title: 'another secret is told and replaced [DRF-022]',
    code: 'node.agent_secret_mismatch',
    line: 'printf %064d 1 >/etc/fleet/agent/secret',
  },
  {
    title: 'a foreign command is told, and its place taken again [DRF-025]',
    code: 'node.cli_foreign',
    line: 'rm /usr/local/bin/fleet && cp /usr/bin/true /usr/local/bin/fleet',
    byHand: 'rm /usr/local/bin/fleet',
  },
  {
    title: 'a stopped web server is told and runs again [DRF-030]',
    code: 'role.services_inactive',
    line: 'systemctl stop caddy',
  },
  {
    title: 'a package that was taken away is told and comes back [DRF-030]',
    code: 'role.packages_missing',
    line: 'dpkg --purge --force-depends unzip',
  },
  {
    title: 'a foreign state of the resolver is told and replaced [DRF-034]',
    code: 'role.dns_snippet_conflict',
    line: 'echo dns 9.9.9.9 >/etc/wireguard/fleet.dns-link',
    byHand: 'rm /etc/wireguard/fleet.dns-link',
  },
  {
    title: 'a firewall that was turned off is told and on again [DRF-057]',
    code: 'firewall.backend_inactive',
    line: 'ufw disable',
  },
  {
    title: 'a stopped private DNS is told and runs again [DRF-030]',
    code: 'role.services_inactive',
    on: 'gateway',
    line: 'systemctl stop fleet-dnsmasq',
  },
  {
    title: 'other private names are told and published anew [DRF-034]',
    code: 'role.dns_projection_mismatch',
    on: 'gateway',
    line: `sed -i 's/"requesters": *{/&"10.44.250.250":99,/' /var/lib/fleet/private-dns/catalog.json`,
  },
  {
    title: 'a hub that would not come up after a boot is told and does again [DRF-035]',
    code: 'role.vpn_inactive',
    on: 'gateway',
    line: 'systemctl disable wg-quick@fleet',
  },
  {
    title: 'a peer that no record knows is told and gone [DRF-035]',
    code: 'role.vpn_projection_mismatch',
    on: 'gateway',
    line: 'wg set fleet peer "$(wg genkey | wg pubkey)" allowed-ips 10.44.200.9/32',
  },
  {
    title: 'a gateway that asks another server for private names is told and asks its own again [DRF-038]',
    code: 'role.private_dns_route_mismatch',
    on: 'gateway',
    line: 'resolvectl dns fleet 9.9.9.9',
  },
  {
    title: 'a replaced list of name servers of a Node is reported, put back and kept [DRF-034]',
    code: 'role.dns_snippet_conflict',
    line: 'rm /etc/resolv.conf && echo nameserver 9.9.9.9 >/etc/resolv.conf',
    after: 'grep -q 9.9.9.9 /etc/resolv.conf.before-fleet-* && getent hosts gateway.fleet',
  },
  {
    title: 'a replaced list of name servers of the gateway is reported, put back and kept [DRF-038]',
    code: 'role.private_dns_route_mismatch',
    on: 'gateway',
    line: 'rm /etc/resolv.conf && echo nameserver 9.9.9.9 >/etc/resolv.conf',
    after: 'grep -q 9.9.9.9 /etc/resolv.conf.before-fleet-* && getent hosts gateway.fleet',
  },
  {
    title: 'a tunnel that answers LLMNR is reported and silent again [DRF-034]',
    code: 'role.dns_snippet_conflict',
    line: 'resolvectl llmnr fleet yes',
    after: 'resolvectl llmnr fleet | grep -q ": no$"',
  },
  {
    title: 'a missing rule of a role is told and stands again [DRF-034]',
    code: 'role.firewall_projection_mismatch',
    on: 'gateway',
    line: String.raw`ufw --force delete "$(ufw status numbered | sed -n 's/^\[ *\([0-9]*\)\].*fleet:.*gateway-https.*/\1/p' | head -n 1)"`,
  },
]

test(
  'an installed fleet is healthy, says so, and names the families that were not inspected [DRF-005]',
  onHosts,
  async () => {
    const fleet = await theFleet()
    await assertHealthy(fleet)
    const { stdout } = await fleet.gateway.fleet(['doctor'])
    assert.match(stdout, /^Healthy: \d+ checks of 2 Nodes\.\nNot inspected: [\w, ]*\broute\b[\w, ]*\.\n$/)
  },
)

for (const { title, code, on, line, byHand, pretended, after: proof } of MUTATIONS) {
  test(title, onHosts, async () => {
    const fleet = await theFleet()
    const host: Host = on === undefined ? fleet.node('web') : fleet.gateway.host
    await host.run(['sh', '-c', line])
    try {
      const found = issuesIn(await reportOf(fleet))
      assert.deepEqual(
        found.map((issue) => `${issue.node} ${issue.code}`),
        [`${on ?? fleet.nameOf('web')} ${code}`],
      )
      if (byHand !== undefined) await host.run(['sh', '-c', byHand])
      if (!pretended) await repair(fleet, found[0])
      await assertHealthy(fleet)
      if (proof !== undefined) await host.run(['sh', '-c', proof])
    } finally {
      await heal(fleet)
    }
  })
}

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
  'a Node that stands still is told once by each family, within seconds, and nothing of the others is lost [DRF-013, DRF-017, DRF-039, DRF-058]',
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
        ['node.ssh_unreachable', 'role.node_unreachable', 'firewall.node_unreachable'].map(
          (code) => `${fleet.nameOf('web')} ${code}`,
        ),
      )
      assert.equal(report.nodes.find(({ node_name: name }) => name === 'gateway')?.healthy, true)
    } finally {
      await host.resume()
      await assertHealthy(fleet)
    }
  },
)

test('little space is told by a machine that cannot write any more [DRF-026]', onHosts, async () => {
  const fleet = await theFleet()
  const host = fleet.node('web')
  await host.fillDisk()
  try {
    assert.deepEqual(codesIn(await reportOf(fleet)), [`${fleet.nameOf('web')} node.disk_low`])
  } finally {
    host.freeDisk()
    await heal(fleet)
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
      assert.match(stdout, /node\.agent_inactive {2}The agent is installed but not running\./)
    } finally {
      await heal(fleet)
    }
  },
)
