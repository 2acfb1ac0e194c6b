import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firewallQuestion } from '../../packages/fleet/src/firewall/checks/question.ts'
import { script } from '@fleet/shell'
import type { Host } from '../../lab/index.ts'
import { type FirewallLab, startFirewallLab, takesConnections } from './firewall-world.ts'
import { fileOn, onHosts } from './site.ts'

const ufw = (host: Host, ...words: string[]): Promise<string> => host.run(['ufw', ...words])
const rulesOf = async (host: Host): Promise<string> => (await fileOn(host, '/etc/ufw/user.rules')) ?? ''

/** As enrolment and a first role leave it: on, members admitted, public SSH closed. */
async function enrolled(lab: FirewallLab): Promise<void> {
  const rules = lab.domain.firewall.onNodes
  await rules.bootstrap(await lab.over('public'), 22)
  await rules.admitMembers(await lab.over('public'))
  lab.hangUp()
  await rules.closePublicSsh(await lab.over('tunnel'))
}

/** The files of UFW are the very same ones afterwards. */
async function writesNothing(host: Host, work: () => Promise<void>): Promise<void> {
  const files = (): Promise<string> =>
    host.run(['sh', '-c', 'stat -c "%n %i %y %z" /etc/ufw/*.rules /etc/ufw/ufw.conf /etc/default/ufw'])
  const before = await files()
  await work()
  assert.equal(await files(), before)
}

const matches = async (lab: FirewallLab): Promise<string[]> =>
  (await lab.live()).live
    .filter(({ family }) => family === 'ipv4')
    .map(({ name, match }) => `${name} ${match}`)

test(
  'from a blank firewall to an enrolled Node and back there is always a way in, and strangers keep their rules [NODE-051, NODE-053, NODE-066, NODE-129, ROLE-025, FW-026, FW-028]',
  onHosts,
  async () => {
    await using lab = await startFirewallLab('fw-life')
    const { host } = lab
    const rules = lab.domain.firewall.onNodes
    await ufw(host, 'deny', '22/tcp')
    await ufw(host, 'limit', '2200/tcp')
    const theirs = (await rulesOf(host))
      .match(/### tuple ### (?:deny|limit)[^#]*/g)
      ?.map((text) => text.trim())
    await rules.bootstrap(await lab.over('public'), 22)
    assert.match(await ufw(host, 'status', 'verbose'), /Status: active[^]*Default: deny \(incoming\)/)
    assert.equal((await host.run(['systemctl', 'is-enabled', 'ufw'])).trim(), 'enabled')
    assert.deepEqual([await lab.answers('public'), await lab.answers('tunnel')], [true, true])
    await writesNothing(host, async () => void (await rules.bootstrap(await lab.over('public'), 22)))
    await rules.admitMembers(await lab.over('public'))
    await assert.rejects(rules.closePublicSsh(await lab.over('public')), ({ details }) => {
      assert.equal(details.reason, 'not_over_tunnel')
      return true
    })
    assert.equal(await lab.answers('public'), true)
    lab.hangUp()
    await rules.closePublicSsh(await lab.over('tunnel'))
    assert.deepEqual([await lab.answers('public'), await lab.answers('tunnel')], [false, true])
    await writesNothing(host, async () => rules.closePublicSsh(await lab.over('tunnel')))
    const text = await rulesOf(host)
    for (const block of theirs ?? assert.fail()) assert.ok(text.includes(block), block)
    await rules.openPublicSsh(await lab.over('tunnel'))
    assert.deepEqual([await lab.answers('public'), await lab.answers('tunnel')], [true, true])
  },
)

test(
  'public SSH does not close while the tunnel is down or nothing listens there [NODE-066]',
  onHosts,
  async () => {
    await using lab = await startFirewallLab('fw-close')
    const { host } = lab
    const rules = lab.domain.firewall.onNodes
    await rules.bootstrap(await lab.over('public'), 22)
    await rules.admitMembers(await lab.over('public'))
    lab.hangUp()
    const session = await lab.over('tunnel')
    await session.run(script('true'))
    const refused = async (reason: string): Promise<void> =>
      assert.rejects(rules.closePublicSsh(session), ({ details }) => {
        assert.equal(details.reason, reason)
        return true
      })
    await host.run([
      'sh',
      '-ec',
      `ip addr add ${host.tunnelAddress}/32 dev lo; ip addr del ${host.tunnelAddress}/32 dev fleet`,
    ])
    await refused('tunnel_down')
    await host.run([
      'sh',
      '-ec',
      `ip addr add ${host.tunnelAddress}/32 dev fleet; ip addr del ${host.tunnelAddress}/32 dev lo`,
    ])
    await host.run(['systemctl', 'stop', 'ssh.socket', 'ssh.service'])
    await refused('ssh_silent')
    await host.run(['systemctl', 'start', 'ssh.service'])
    await rules.closePublicSsh(session)
    assert.deepEqual([await lab.answers('public'), await lab.answers('tunnel')], [false, true])
  },
)

test(
  'a machine that is on already with other defaults keeps its rules and denies what no rule admits [NODE-051]',
  onHosts,
  async () => {
    await using lab = await startFirewallLab('fw-on')
    const { host } = lab
    await ufw(host, 'default', 'allow', 'incoming')
    await ufw(host, 'allow', '8080/tcp')
    await ufw(host, '--force', 'enable')
    await lab.domain.firewall.onNodes.bootstrap(await lab.over('public'), 22)
    const status = await ufw(host, 'status', 'verbose')
    assert.match(status, /Default: deny \(incoming\)/)
    assert.match(status, /8080\/tcp +ALLOW IN/)
    assert.deepEqual([await lab.answers('public'), await takesConnections(host.address, 9)], [true, false])
  },
)

test(
  "operators' rules let packets in and keep them out, the narrower before the wider, members always [FW-005, FW-006, FW-016, FW-036]",
  onHosts,
  async () => {
    await using lab = await startFirewallLab('fw-rules', { roles: ['app-dev'] })
    const { host } = lab
    await enrolled(lab)
    await host.run(['systemd-run', '--quiet', 'python3', '-m', 'http.server', '8080'])
    const outside = (): Promise<boolean> => takesConnections(host.address, 8080)
    const machine = host.address.replace(/\d+$/, '1')
    const network = host.address.replace(/\d+$/, '0/24')
    while (!(await takesConnections(host.tunnelAddress, 8080)));
    assert.equal(await outside(), false)
    await lab.add('allow', { name: 'http', port: '8000:8100' })
    assert.equal(await outside(), true)
    await lab.add('deny', { name: 'neighbours', port: '8080', source: network })
    assert.equal(await outside(), false)
    await lab.add('allow', { name: 'machine', port: '8080', source: machine })
    assert.equal(await outside(), true)
    await lab.add('deny', { name: 'six', port: '8080', source: '2001:db8::/32' })
    await lab.remove('machine')
    assert.equal(await outside(), false)
    assert.equal(await takesConnections(host.tunnelAddress, 8080), true)
    const { id } = await lab.node()
    const status = await ufw(host, 'status')
    for (const name of ['http', 'neighbours', 'six'])
      assert.ok(status.includes(`# fleet:node:${id}:firewall:${name}`))
    assert.deepEqual(await matches(lab), ['wireguard-members exact', 'neighbours exact', 'http exact'])
    await lab.remove('neighbours')
    assert.equal(await outside(), true)
  },
)

test('Grafana takes the gateway alone, every other port each member [FW-030, FW-036]', onHosts, async () => {
  await using lab = await startFirewallLab('fw-grafana', { roles: ['metrics'] })
  const { host, gateway, member } = lab
  await enrolled(lab)
  for (const port of ['3000', '3001'])
    await host.run(['systemd-run', '--quiet', 'python3', '-m', 'http.server', port])
  const takes = (from: string, port: number): Promise<boolean> =>
    takesConnections(host.tunnelAddress, port, from)
  const started = async (): Promise<void> => {
    while (!(await takes(member, 3000)) || !(await takes(member, 3001)));
  }
  await started()
  await lab.domain.firewall.onNodes.applyRole(await lab.over('tunnel'), 'metrics')
  await lab.add('allow', { name: 'grafana', port: '3000' })
  assert.deepEqual(
    [await takes(gateway, 3000), await takes(member, 3000), await takes(member, 3001)],
    [true, false, true],
  )
})

test("UFW's own command finds and writes rules of the fleet as they are", onHosts, async () => {
  await using lab = await startFirewallLab('fw-own', { roles: ['vpn', 'metrics'] })
  const { host } = lab
  await enrolled(lab)
  await lab.domain.firewall.onNodes.applyRole(await lab.over('tunnel'), 'vpn')
  await lab.domain.firewall.onNodes.applyRole(await lab.over('tunnel'), 'metrics')
  await lab.add('allow', { name: 'range', port: '8000:8100', source: '192.0.2.0/24', protocol: 'udp' })
  await lab.add('deny', { name: 'six', port: '443', source: '2001:db8::/32' })
  const own = async (): Promise<string[]> => {
    const files = (await rulesOf(host)) + ((await fileOn(host, '/etc/ufw/user6.rules')) ?? '')
    return files.match(/### tuple ###[^#]*comment=[^#]*/g) ?? []
  }
  const before = await own()
  assert.equal(before.length, 11)
  await ufw(host, 'allow', '9/udp')
  assert.deepEqual(await own(), before)
  await ufw(host, 'reload')
  assert.ok((await matches(lab)).every((text) => text.endsWith(' exact') || text === 'null unmanaged'))
  await ufw(host, 'delete', 'allow', '9/udp')
  await lab.add('allow', { name: 'range', port: '8000:8100', source: '192.0.2.0/24', protocol: 'udp' })
  assert.deepEqual(await own(), before)
})

test(
  'what is changed by hand is reported as drift, and the next operation does not undo it [FW-014, FW-021]',
  onHosts,
  async () => {
    await using lab = await startFirewallLab('fw-drift', { roles: ['app-dev'] })
    const { host } = lab
    await enrolled(lab)
    await lab.add('allow', { name: 'web', port: '443', source: '192.0.2.1' })
    const { id } = await lab.node()
    const comment = `fleet:node:${id}:firewall:web`
    await ufw(host, 'delete', 'allow', 'from', '192.0.2.1', 'to', 'any', 'port', '443', 'proto', 'tcp')
    assert.deepEqual(
      (await lab.live()).missing.map(({ name, match }) => [name, match]),
      [['web', 'missing']],
    )
    await ufw(
      host,
      'allow',
      'from',
      '192.0.2.9',
      'to',
      'any',
      'port',
      '443',
      'proto',
      'tcp',
      'comment',
      comment,
    )
    await ufw(host, 'allow', '25/tcp')
    assert.deepEqual(await matches(lab), ['wireguard-members exact', 'web drift', 'null unmanaged'])
    await assert.rejects(lab.add('allow', { name: 'web', port: '443', source: '192.0.2.1' }), {
      code: 'firewall.rule_collision',
    })
    await lab.remove('web')
    assert.deepEqual(await matches(lab), ['wireguard-members exact', 'null unmanaged'])
    await host.run(['iptables', '-F', 'ufw-user-input'])
    assert.deepEqual(await matches(lab), ['wireguard-members drift', 'null unmanaged'])
    await lab.add('allow', { name: 'web', port: '443' })
    assert.equal(await lab.answers('tunnel'), true)
    assert.deepEqual(await matches(lab), ['wireguard-members exact', 'web exact', 'null unmanaged'])
  },
)

test(
  'a firewall that is off or gone says so, and bootstrap turns it on again [FW-022]',
  onHosts,
  async () => {
    await using lab = await startFirewallLab('fw-off')
    const { host } = lab
    await enrolled(lab)
    await lab.add('allow', { name: 'web', port: '443' })
    await ufw(host, 'disable')
    assert.equal((await lab.live()).backend_status, 'inactive')
    await assert.rejects(lab.add('allow', { name: 'other', port: '80' }), {
      code: 'firewall.backend_inactive',
    })
    await lab.remove('web')
    lab.hangUp()
    await lab.domain.firewall.onNodes.bootstrap(await lab.over('public'), 22)
    assert.deepEqual(await matches(lab), ['wireguard-members exact', 'public-ssh-recovery exact'])
    await host.run(['iptables', '-P', 'INPUT', 'ACCEPT'])
    await host.run(['iptables', '-F', 'INPUT'])
    assert.equal((await lab.live()).backend_status, 'inactive')
    await host.run(['mv', '/usr/sbin/ufw', '/usr/sbin/ufw.away'])
    assert.equal((await lab.live()).backend_status, 'absent')
    await assert.rejects(lab.add('allow', { name: 'other', port: '80' }), { code: 'node.capability_missing' })
    await host.cutOff()
    lab.hangUp()
    await host.restore()
  },
)

test(
  'a full disk keeps the rules whole and the way open, also over a power cut; then the same request finishes [FW-023]',
  onHosts,
  async () => {
    await using lab = await startFirewallLab('fw-full', { roles: ['app-dev'] })
    const { host } = lab
    await enrolled(lab)
    await host.run(['sync'])
    const before = await rulesOf(host)
    await host.fillDisk()
    await assert.rejects(lab.add('allow', { name: 'web', port: '443' }), ({ code, details }) => {
      assert.deepEqual([code, details.reason], ['firewall.apply_failed', 'storage_full'])
      return true
    })
    assert.equal(await rulesOf(host), before)
    assert.equal(await lab.answers('tunnel'), true)
    host.freeDisk()
    await lab.add('allow', { name: 'web', port: '443' })
    // The lab sees from outside whether a host is up.
    await lab.domain.firewall.onNodes.openPublicSsh(await lab.over('tunnel'))
    await host.kill()
    await host.revive()
    await lab.layTunnel()
    lab.hangUp()
    assert.equal(await lab.answers('tunnel'), true)
    assert.deepEqual(await matches(lab), [
      'wireguard-members exact',
      'public-ssh-recovery drift',
      'web exact',
    ])
  },
)

test(
  "Doctor's question finds a healthy host healthy, and each mutation of it [DRF-057]",
  onHosts,
  async () => {
    await using lab = await startFirewallLab('fw-doctor', { roles: ['vpn'] })
    const { host, domain } = lab
    await enrolled(lab)
    await domain.firewall.onNodes.applyRole(await lab.over('tunnel'), 'vpn')
    await lab.add('allow', { name: 'web', port: '443' })
    const found = async (): Promise<string[]> => {
      const node = await lab.node()
      const { source, args = [] } = firewallQuestion
      const { exitCode, stdout } = await (await lab.over('tunnel')).asRoot(script(source, ...args))
      const text = stdout.toString().replace(/\n+$/, '')
      const state = firewallQuestion.read({ exitCode: exitCode ?? -1, text }) ?? assert.fail('no answer')
      const codes: string[] = []
      for (const family of domain.checks)
        for (const check of await family.checksOf(lab.call, node))
          if (check.kind === 'asked' && (await check.judge(state)))
            codes.push(`${check.code} ${check.resource.name}`)
      return codes
    }
    assert.deepEqual(await found(), [])
    await ufw(host, 'delete', 'allow', '443/tcp')
    assert.deepEqual(await found(), ['firewall.rule_missing web'])
    await lab.add('allow', { name: 'web', port: '443' })
    assert.deepEqual(await found(), [])
    await ufw(host, 'prepend', 'deny', '22/tcp')
    assert.deepEqual(await found(), ['firewall.rule_mismatch fw-doctor'])
    await lab.add('allow', { name: 'other', port: '80' })
    assert.deepEqual(await found(), [])
    await ufw(host, 'delete', 'allow', '51820/udp')
    assert.deepEqual(await found(), ['role.firewall_projection_mismatch vpn'])
    await domain.firewall.onNodes.applyRole(await lab.over('tunnel'), 'vpn')
    await ufw(host, 'disable')
    assert.deepEqual(await found(), ['firewall.backend_inactive fw-doctor'])
  },
)
