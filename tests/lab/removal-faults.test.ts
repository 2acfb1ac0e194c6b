import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampled } from '@fleet/testing/sample'
import { bareNode, shareEnrolmentNet } from './enrolment-net.ts'
import { begun, type Fault, FAULTS, injectAt } from './faults.ts'
import { onHosts } from './site.ts'

const started = shareEnrolmentNet('leave')

test(
  'a removal that meets a dead machine or a dead hub gives back what it did, and the identical request finishes [NODE-023, NODE-088]',
  onHosts,
  async () => {
    const fleet = await started()
    const host = await bareNode(fleet, 'leaving')
    // This process works from inside the hub, so a cut would not reach it.
    const paused: Fault = {
      name: 'paused',
      inject: (machine) => machine.pause(),
      clearFaults: (machine) => machine.resume(),
    }
    const cases = [
      ['firewall-recovery', host, 'node.firewall_recovery_failed'],
      ['wireguard-projection', fleet.hub, 'node.wireguard_projection_failed'],
    ] as const
    for (const [step, victim, code] of cases) {
      const ended = await injectAt(step, paused, victim, (onStep) => fleet.remove(host.name, {}, onStep))
      assert.ok(
        ['node.removal_rollback_failed', code].some((one) => one === ended.failure?.code),
        String(ended.failure?.code),
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
      const host = await bareNode(fleet, `going-${fault.name.replaceAll(' ', '-')}`)
      const enroll = async (): Promise<void> => {
        const { failure } = await fleet.enroll(host)
        assert.equal(failure, undefined, String(failure?.cause))
      }
      const healthy = await fleet.remove(host.name)
      assert.equal(healthy.failure, undefined)
      const names = begun(healthy)
      assert.ok(names.length > 1, names.join(', '))
      await enroll()
      for (const step of sampled(names, FAULTS.length, FAULTS.indexOf(fault))) {
        const ended = await injectAt(step, fault, host, (onStep) => fleet.remove(host.name, {}, onStep))
        const row = await fleet.row(host.name)
        t.diagnostic(
          `${fault.name} at ${step}: ${ended.failure?.code ?? 'no failure'}, ${row?.status ?? 'gone'}`,
        )
        // A failure leaves the record, and a success does not.
        assert.equal(row === undefined, ended.failure === undefined, step)
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
    const host = await bareNode(fleet, 'dead')
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
