import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { type EnrolmentFleet, fakeCall, startEnrolmentFleet } from '@fleet/testing'

/** Each step that can fail: the call that breaks it and the code of the answer, in order. */
const STEPS = [
  ['grafana-access-revocation', 'exporters.revokeAccess', 'node.grafana_access_revocation_failed'],
  ['metrics-exporters', 'exporters.withdraw', 'node.metrics_reconcile_failed'],
  ['firewall-recovery', 'firewall.openPublicSsh', 'node.firewall_recovery_failed'],
  ['wireguard-projection', 'tunnel.leave', 'node.wireguard_projection_failed'],
  ['router-lan-ingress', 'membership.withdrawLanAccess', 'router.lan_ingress_failed'],
  ['dns-projection', 'dns.publishWithout', 'node.dns_projection_failed'],
] as const

const start = async (): Promise<EnrolmentFleet> => {
  const fleet = await startEnrolmentFleet()
  await fleet.addHub()
  await fleet.enroll()
  return fleet
}

const idOf = async (fleet: EnrolmentFleet): Promise<number> => (await fleet.row())?.id ?? assert.fail()

/** Grafana sessions that ended stay ended; the Node opens new ones. */
const worldOf = ({ services: { world } }: EnrolmentFleet) => structuredClone({ ...world, grafana: new Set() })

const codedFailure = async (request: Promise<unknown>): Promise<CodedError> => {
  const error = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof CodedError ? error : assert.fail('the removal must fail')
}

test('whatever step fails, before its work or after, is named, and everything is as it was; the identical request finishes [NODE-023, NODE-088, NODE-089]', async () => {
  for (const [step, call, code] of STEPS) {
    for (const when of ['before', 'after'] as const) {
      await using fleet = await start()
      const id = await idOf(fleet)
      const before = { row: await fleet.row(), world: worldOf(fleet) }
      fleet.services.breakAt(call, fail('node.connection_lost'), when)
      const failure = await codedFailure(fleet.remove(id))
      assert.deepEqual([failure.code, failure.status], [code, 502], step)
      assert.deepEqual(failure.details, {
        node: { id, name: 'web-1' },
        step,
        error_code: 'node.connection_lost',
      })
      assert.deepEqual({ row: await fleet.row(), world: worldOf(fleet) }, before, `${step} ${when}`)
      fleet.services.clearFaults()
      await fleet.remove(id)
      assert.equal(await fleet.row(), undefined)
    }
  }
})

test('a removal that dies in any step continues where it was, and still reports what the first request found [NODE-085]', async () => {
  for (const [step, call] of STEPS) {
    for (const when of ['before', 'after'] as const) {
      await using fleet = await start()
      const id = await idOf(fleet)
      // With the lock the process is gone: nothing more is undone.
      fleet.services.breakAt(call, fail('node.lock_lost'), when)
      for (const undo of [
        'exporters.reconcile',
        'tunnel.publish',
        'dns.publish',
        'membership.updateLanAccess',
      ])
        fleet.services.breakAt(undo, new Error('a dead process takes nothing back'))
      await assert.rejects(fleet.remove(id))
      assert.equal((await fleet.row())?.status, 'active', step)
      fleet.services.clearFaults()
      const data = await fleet.remove(id)
      assert.deepEqual([data.removed, data.dns_records_removed], [true, 2], step)
      assert.equal(await fleet.row(), undefined)
    }
  }
})

test('a rollback that fails too is reported with its own step, and the identical request finishes [NODE-089]', async () => {
  const cases = [
    ['dns.publishWithout', 'tunnel.rejoin', 'wireguard-rollback', 'dns-projection'],
    ['firewall.openPublicSsh', 'exporters.reconcile', 'metrics-exporters-rollback', 'firewall-recovery'],
  ] as const
  for (const [broken, undo, rollback, failedStep] of cases) {
    await using fleet = await start()
    const id = await idOf(fleet)
    fleet.services.breakAt(broken)
    fleet.services.breakAt(undo)
    const failure = await codedFailure(fleet.remove(id))
    assert.deepEqual([failure.code, failure.status], ['node.removal_rollback_failed', 502])
    assert.deepEqual([failure.details?.['step'], failure.details?.['failed_step']], [rollback, failedStep])
    assert.equal((await fleet.row())?.status, 'active')
    fleet.services.clearFaults()
    assert.equal((await fleet.remove(id)).removed, true)
  }
})

test('a record that cannot be deleted takes everything back [NODE-088]', async () => {
  await using fleet = await start()
  const id = await idOf(fleet)
  const before = { row: await fleet.row(), world: worldOf(fleet) }
  const { transaction } = fleet.store
  Object.assign(fleet.store, { transaction: () => Promise.reject(new Error('the disk is full')) })
  const failure = await codedFailure(fleet.remove(id))
  Object.assign(fleet.store, { transaction })
  assert.deepEqual([failure.code, failure.details?.['step']], ['node.persistence_failed', 'persistence'])
  assert.deepEqual({ row: await fleet.row(), world: worldOf(fleet) }, before)
})

test('an agent that cannot be stopped does not hold the removal up, and is reported [NODE-086]', async () => {
  await using fleet = await start()
  fleet.services.breakAt('agent.remove')
  const call = fakeCall()
  const data = await fleet.remove(await idOf(fleet), {}, call)
  assert.deepEqual(
    call.steps.filter((line) => line.startsWith('agent ')),
    ['agent started', 'agent skipped'],
  )
  assert.ok(data.retained_on_node.includes('agent'))
  assert.match(data.follow_up ?? '', /fleet-agent/)
})
