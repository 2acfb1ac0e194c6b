import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { type EnrolmentNet, startEnrolmentNet } from './enrolment-net.ts'
import { begun, type Fault, FAULTS, struckAt } from './faults.ts'
import { onHosts } from './site.ts'

let net: Promise<EnrolmentNet> | undefined
const started = (): Promise<EnrolmentNet> => (net ??= startEnrolmentNet('life'))
after(async () => (await net?.catch(() => undefined))?.[Symbol.asyncDispose]())

const STEPS = [
  'ssh-host-key',
  'bootstrap',
  'fleet-ssh',
  'machine-architecture',
  'wireguard',
  'wireguard-members',
  'tool-manager',
  'role:database',
] as const

test(
  'a blank host becomes a Node: packages, user, tunnel and firewall; the same request again changes nothing [NODE-051, NODE-052, NODE-053, NODE-065]',
  onHosts,
  async (t) => {
    const fleet = await started()
    const host = await fleet.host('blank', true)
    const resolver = await host.run(['cat', '/etc/resolv.conf'])
    const servers = [...resolver.matchAll(/^nameserver\s+(\S+)/gm)].map(([, server]) => server)
    const first = await fleet.enroll(host)
    assert.equal(first.failure, undefined, String(first.failure?.cause))
    const { data } = first
    assert.deepEqual(
      [data?.status, data?.user, data?.architecture],
      ['active', 'fleet', (await host.run(['uname', '-m'])).trim()],
    )
    const line = (await host.run(['cat', '/home/fleet/.ssh/authorized_keys'])).trim()
    assert.match(line, /^ssh-ed25519 \S+/)
    assert.equal(await host.run(['stat', '-c', '%U %a', '/home/fleet/.ssh/authorized_keys']), 'fleet 600\n')
    assert.match(await host.run(['ufw', 'status']), /Status: active[\s\S]*fleet:public-ssh-recovery/)
    await host.run(['runuser', '-u', 'fleet', '--', 'sudo', '-n', 'true'])
    // Where systemd-resolved came new, the machine asks the servers that it asked before.
    const kept = await host.run(['cat', '/etc/systemd/resolved.conf.d/fleet-machine-dns.conf'])
    assert.deepEqual(kept.match(/^DNS=(.*?) *$/m)?.[1]?.split(' '), servers)
    const before = await fingerprintOf(host)
    const start = performance.now()
    const again = await fleet.enroll(host)
    t.diagnostic(`unchanged converge: ${((performance.now() - start) / 1000).toFixed(1)} s`)
    assert.equal(again.failure, undefined)
    assert.deepEqual(await fingerprintOf(host), before)
    assert.equal((await fleet.remove(host.name)).failure, undefined)
  },
)

/** What an unchanged converge must leave alone, with the time it was written. */
const fingerprintOf = (host: Host): Promise<string> =>
  host.run([
    'stat',
    '-c',
    '%n %Y %s',
    '/home/fleet/.ssh/authorized_keys',
    '/etc/sudoers.d/fleet-fleet',
    '/etc/wireguard/fleet.conf',
  ])

for (const fault of FAULTS) {
  test(
    `a machine that is ${fault.name} at any step of its enrolment is named with step and code, and the identical request finishes [NODE-020, NODE-021]`,
    onHosts,
    async (t) => {
      const fleet = await started()
      const host = await fleet.host(fault.name.replaceAll(' ', '-'))
      const request = { roles: ['database' as const] }
      // One Node for all steps: it is made anew as soon as an enrolment came to its end.
      for (const step of STEPS) {
        const struck = await struckAt(step, fault, host, (onStep) => fleet.enroll(host, request, onStep))
        const row = await fleet.row(host.name)
        t.diagnostic(`${fault.name} at ${step}: ${struck.failure?.code ?? 'no failure'}`)
        if (struck.failure) {
          assert.equal(row?.status, 'failed')
          assert.deepEqual(
            [row?.failed_step, row?.error_code],
            [struck.failure.details?.['step'], struck.failure.code],
          )
        }
      }
      const whole = await fleet.enroll(host, request)
      assert.equal(whole.failure, undefined, String(whole.failure?.cause))
      assert.deepEqual([whole.data?.status, whole.data?.roles], ['active', ['database']])
      assert.match(await host.run(['docker', '--version']), /Docker/)
      // Closed by its first role, and still reached over the tunnel.
      assert.doesNotMatch(await host.run(['ufw', 'status']), /public-ssh-recovery/)
      await fleet.enroll(host)
    },
  )
}

test(
  'an active Node that is cut off at any step of a converge stays active as it was [NODE-022]',
  onHosts,
  async () => {
    const fleet = await started()
    const host = await fleet.host('steady')
    assert.equal((await fleet.enroll(host)).failure, undefined)
    const before = await fleet.row(host.name)
    const cutOff = FAULTS[0] ?? assert.fail()
    for (const step of STEPS.slice(0, -1)) {
      const struck = await struckAt(step, cutOff, host, (onStep) =>
        fleet.enroll(host, { lan_ip: '192.168.7.7' }, onStep),
      )
      assert.ok(struck.failure, step)
      assert.deepEqual(await fleet.row(host.name), before, step)
    }
    const whole = await fleet.enroll(host, { lan_ip: '192.168.7.7' })
    assert.deepEqual([whole.data?.status, whole.data?.lan_ip], ['active', '192.168.7.7'])
  },
)

test(
  'a removal that meets a dead machine or a dead hub gives back what it did, and the identical request finishes [NODE-023, NODE-088]',
  onHosts,
  async () => {
    const fleet = await started()
    const host = await fleet.host('leaving')
    assert.equal((await fleet.enroll(host)).failure, undefined)
    // This process works from inside the hub, so a cut would not reach it.
    const paused: Fault = {
      name: 'paused',
      strike: (machine) => machine.pause(),
      heal: (machine) => machine.resume(),
    }
    const cases = [
      ['firewall-recovery', host, 'node.firewall_recovery_failed'],
      ['wireguard-projection', fleet.hub, 'node.wireguard_projection_failed'],
    ] as const
    for (const [step, victim, code] of cases) {
      const struck = await struckAt(step, paused, victim, (onStep) => fleet.remove(host.name, {}, onStep))
      assert.ok(
        ['node.removal_rollback_failed', code].some((one) => one === struck.failure?.code),
        String(struck.failure?.code),
      )
      assert.equal((await fleet.row(host.name))?.status, 'active')
    }
    const gone = await fleet.remove(host.name)
    assert.equal(gone.failure, undefined)
    assert.equal(gone.data?.wireguard_peer_removed, true)
    assert.equal(await fleet.row(host.name), undefined)
  },
)

for (const fault of FAULTS) {
  test(
    `a machine that is ${fault.name} at any step of its removal is still there, or gone, and the identical request finishes [NODE-085, NODE-088, NODE-093]`,
    onHosts,
    async (t) => {
      const fleet = await started()
      const host = await fleet.host(`going-${fault.name.replaceAll(' ', '-')}`)
      const enroll = async (): Promise<void> => {
        const { failure } = await fleet.enroll(host)
        assert.equal(failure, undefined, String(failure?.cause))
      }
      await enroll()
      const healthy = await fleet.remove(host.name)
      assert.equal(healthy.failure, undefined)
      const names = begun(healthy)
      assert.ok(names.length > 3, names.join(', '))
      await enroll()
      for (const step of names) {
        const struck = await struckAt(step, fault, host, (onStep) => fleet.remove(host.name, {}, onStep))
        const row = await fleet.row(host.name)
        t.diagnostic(
          `${fault.name} at ${step}: ${struck.failure?.code ?? 'no failure'}, ${row?.status ?? 'gone'}`,
        )
        // A failure leaves the record, and a success does not.
        assert.equal(row === undefined, struck.failure === undefined, step)
        if (!row) await enroll()
      }
      const whole = await fleet.remove(host.name)
      assert.equal(whole.failure, undefined, String(whole.failure?.cause))
      assert.equal(await fleet.row(host.name), undefined)
    },
  )
}

test(
  'a dead machine is removed offline; when it is back it is enrolled again as it is [NODE-095, NODE-097]',
  onHosts,
  async () => {
    const fleet = await started()
    const host = await fleet.host('dead')
    assert.equal((await fleet.enroll(host)).failure, undefined)
    await host.kill()
    assert.equal(
      (await fleet.remove(host.name, { offline: true })).failure?.code,
      'node.confirmation_required',
    )
    const { data, failure } = await fleet.remove(host.name, { offline: true, force: true })
    assert.equal(failure, undefined)
    assert.equal(data?.wireguard_peer_removed, true)
    await host.revive()
    await host.restore()
    const again = await fleet.enroll(host)
    assert.equal(again.failure, undefined, String(again.failure?.cause))
    assert.equal(again.data?.status, 'active')
  },
)
