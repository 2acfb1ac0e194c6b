import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DoctorCode } from '@fleet/contract'
import { repairOf } from '@fleet/contract/doctor-codes'
import type { Row, TransferRecord } from '@fleet/store'
import { FakeClock, fakeCall, localSession } from '@fleet/testing'
import { type InstancesFleet, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { lifecycleLock, withLifecycleLock } from '#/instances/locks.ts'

/** Codes that the family and the part of the Nodes report, with what was observed. */
async function reported(fleet: InstancesFleet, domain = fleet.domain): Promise<readonly string[]> {
  const lists = await Promise.all(domain.checks.map((part) => part.checksOf(fakeCall(), fleet.node)))
  const verdicts = await Promise.all(
    lists.flat().map(async (check) => {
      // What asks the machine: checks/checkouts.machine.test.ts.
      const verdict = check.kind === 'stored' ? await check.judge() : undefined
      return verdict && 'observed' in verdict ? [`${check.code} ${verdict.observed}`] : []
    }),
  )
  return verdicts.flat()
}

const change = (fleet: InstancesFleet, values: Partial<Row<'instances'>>) =>
  fleet.store.db.updateTable('instances').set(values).execute()

test('an Instance that is in use is no finding; one whose setup was cut off or failed is, and one half-made [DRF-041, INS-022]', async () => {
  await using fleet = await startInstancesFleet()
  await fleet.create()
  assert.deepEqual(await reported(fleet), [])
  await change(fleet, { setup: 'pending', failed_step: 'setup' })
  assert.deepEqual(await reported(fleet), ['instance.setup_unfinished interrupted'])
  await change(fleet, { error_code: 'instance.setup_step_failed' })
  assert.deepEqual(await reported(fleet), ['instance.setup_unfinished failed'])
  await change(fleet, { status: 'source_resolved', setup: null })
  assert.deepEqual(await reported(fleet), ['instance.lifecycle_not_active source_resolved'])
  await change(fleet, { status: 'reserved' })
  assert.deepEqual(await reported(fleet), ['instance.lifecycle_not_active reserved'])
})

test('while a request works on the Instance nothing of it is reported', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  await change(fleet, { setup: 'pending', failed_step: 'setup' })
  const place = { projectId: data.project_id, name: data.name }
  assert.match(lifecycleLock(place).name, /lifecycle/)
  await withLifecycleLock(fleet.store, fakeCall(), place, async () =>
    assert.deepEqual(await reported(fleet), []),
  )
  assert.equal((await reported(fleet)).length, 1)
})

test('the command that is named for an unfinished setup finishes it', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  await change(fleet, { setup: 'pending', failed_step: 'setup' })
  const code: DoctorCode = 'instance.setup_unfinished'
  const { command } = repairOf(code, {
    node_id: 1,
    node_name: 'web',
    resource_id: data.id,
    resource_name: data.name,
  })
  assert.equal(command, `instance:setup ${data.id}`)
  await fleet.domain.handlers['instance:setup']({ call: fleet.call(), input: { instance: data.id } })
  assert.deepEqual(await reported(fleet), [])
})

test('checkouts of removed Instances are reported until the Node converges', async () => {
  await using fleet = await startInstancesFleet()
  await fleet.store.db
    .insertInto('instance_residues')
    .values({
      node_id: fleet.node.id,
      instance_id: 99,
      checkout_path: `${fleet.apps}/gone`,
      preparation_id: 'gone',
      quarantine_id: 'gone',
      created_at: '2026-01-01T00:00:00.000Z',
    })
    .execute()
  assert.deepEqual(await reported(fleet), ['node.instance_residue_retained 1'])
  const session = localSession(fleet.pool, { node: fleet.node })
  await fleet.domain.residue.converge(session, { force: true })
  assert.deepEqual(await reported(fleet), [])
})

test('for a removal the command is named that it is finished with, by force only where it was forced', () => {
  const issue = { node_id: 1, node_name: 'web', resource_id: 7, resource_name: 'feature' }
  for (const [code, observed] of [
    ['instance.lifecycle_not_active', 'removing'],
    ['instance.removal_stuck', '12 minutes, at its start'],
  ] as const) {
    assert.equal(repairOf(code, { ...issue, observed }).command, 'instance:destroy 7')
    const { command } = repairOf(code, { ...issue, observed: `${observed}, by force` })
    assert.equal(command, 'instance:destroy 7 --force')
  }
})

test('a transfer that is open and that nobody works on is reported with the step that it failed at; one that has ended is not', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const transfer: TransferRecord = {
    operation_id: '00000000-0000-4000-8000-000000000001',
    source_preparation_id: 'a preparation',
    requested_name: null,
    source_node_id: fleet.node.id,
    source_path: '/apps/app/feature',
    destination_node_id: fleet.node.id,
    destination_name: data.name,
    destination_path: '/apps/app/feature',
    destination_domain: 'feature.app.test',
    status: 'failed',
    steps: {},
    failed_step: 'source_cleanup',
    error_code: 'node.unreachable',
    content_digest: null,
  }
  await change(fleet, { transfer })
  assert.deepEqual(await reported(fleet), ['instance.transfer_unfinished failed, at source_cleanup'])
  await change(fleet, { transfer: { ...transfer, status: 'running', failed_step: null } })
  assert.deepEqual(await reported(fleet), ['instance.transfer_unfinished interrupted'])
  const place = { projectId: data.project_id, name: data.name }
  await withLifecycleLock(fleet.store, fakeCall(), place, async () =>
    assert.deepEqual(await reported(fleet), []),
  )
  for (const status of ['completed', 'rolled_back'] as const) {
    await change(fleet, { transfer: { ...transfer, status } })
    assert.deepEqual(await reported(fleet), [])
  }
})

test('a removal that has lasted ten minutes is reported with its step, and the removal itself ends it [DOC-026]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const clock = new FakeClock()
  const domain = fleet.rebuild({ clock })
  const removal = {
    status: 'removing',
    removal_status: 'removing',
    removal_operation_id: 'f7b6c1de-6d37-4d9a-b7b5-3f1e0b0a8f55',
    removal_force: 1,
    removal_step: 'source_preparation',
    removal_completed: 0,
    removal_started_at: clock.now().toISOString(),
  } as const
  await change(fleet, removal)
  clock.advance(10 * 60_000 - 1)
  assert.deepEqual(await reported(fleet, domain), [])
  await change(fleet, { removal_status: 'failed' })
  assert.deepEqual(await reported(fleet, domain), ['instance.lifecycle_not_active removing, by force'])
  clock.advance(1)
  assert.deepEqual(await reported(fleet, domain), [
    'instance.removal_stuck 10 minutes, at source_preparation, by force',
  ])
  await fleet.destroy(data.id, true, domain)
  assert.deepEqual(await reported(fleet, domain), [])
})
