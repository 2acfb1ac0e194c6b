import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RoleName } from '@fleet/contract'
import { sampled } from '@fleet/testing/sample'
import type { Host } from '../../lab/index.ts'
import { bareNode, type EnrolmentNet, shareEnrolmentNet } from './enrolment-net.ts'
import { begun, FAULTS, injectAt } from './faults.ts'
import { onHosts } from './site.ts'

const started = shareEnrolmentNet('life')

const ROLE: RoleName = 'database'
const isOfRole = (step: string): boolean => step.startsWith('role:')

async function gone(fleet: EnrolmentNet, { name }: Host): Promise<void> {
  for (const ended of [await fleet.removeRole(name, ROLE), await fleet.remove(name)])
    assert.equal(ended.failure, undefined, String(ended.failure?.cause))
}

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
      const request = { roles: [ROLE] }
      const healthy = await fleet.enroll(host, request)
      assert.equal(healthy.failure, undefined, String(healthy.failure?.cause))
      await gone(fleet, host)
      // Of the role its first one: the others are those of a role that is added later, into which role-faults injects faults.
      const steps = begun(healthy).filter(
        (step, at, all) => !isOfRole(step) || at === all.findIndex(isOfRole),
      )
      assert.ok(steps.length > 6, steps.join(', '))
      // One Node for all steps: it is made anew as soon as an enrolment came to its end.
      for (const step of sampled(steps, FAULTS.length, FAULTS.indexOf(fault))) {
        const ended = await injectAt(step, fault, host, (onStep) => fleet.enroll(host, request, onStep))
        const row = await fleet.row(host.name)
        t.diagnostic(`${fault.name} at ${step}: ${ended.failure?.code ?? 'no failure'}`)
        if (ended.failure) {
          assert.equal(row?.status, 'failed')
          assert.deepEqual(
            [row?.failed_step, row?.error_code],
            [ended.failure.details?.['step'], ended.failure.code],
          )
        } else await gone(fleet, host)
      }
      const whole = await fleet.enroll(host, request)
      assert.equal(whole.failure, undefined, String(whole.failure?.cause))
      assert.deepEqual([whole.data?.status, whole.data?.roles], ['active', [ROLE]])
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
  async (t) => {
    const fleet = await started()
    const host = await bareNode(fleet, 'steady')
    const before = await fleet.row(host.name)
    const cutOff = FAULTS[0] ?? assert.fail()
    const request = { lan_ip: '192.168.7.7' }
    const steps = begun(await fleet.enroll(host, {}))
    for (const step of sampled(steps, 2)) {
      const ended = await injectAt(step, cutOff, host, (onStep) => fleet.enroll(host, request, onStep))
      t.diagnostic(`cut off at ${step}: ${ended.failure?.code ?? 'no failure'}`)
      assert.ok(ended.failure, step)
      assert.deepEqual(await fleet.row(host.name), before, step)
    }
    const whole = await fleet.enroll(host, request)
    assert.deepEqual([whole.data?.status, whole.data?.lan_ip], ['active', '192.168.7.7'])
  },
)
