import assert from 'node:assert/strict'
import { renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { run as program } from '@fleet/shell'
import type { SshPool } from '@fleet/ssh'
import type { InstanceData } from '@fleet/contract'
import { addInstance, addStep } from '@fleet/testing'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'

type Case = (fleet: InstancesFleet, data: InstanceData) => Promise<unknown>

const stored = (fleet: InstancesFleet, id: number, values: Readonly<Record<string, unknown>>) =>
  fleet.store.db.updateTable('instances').set(values).where('id', '=', id).execute()

const transferOf = (data: InstanceData, nodeId: number) => ({
  operation_id: 'o',
  source_preparation_id: 'p',
  requested_name: null,
  source_node_id: nodeId,
  source_path: data.checkout_path,
  destination_node_id: nodeId,
  destination_name: 'feature',
  destination_path: '/elsewhere',
  destination_domain: 'feature.test',
  status: 'failed' as const,
  steps: {},
  failed_step: null,
  error_code: null,
  content_digest: null,
})

/** What stands in the way of a removal, by the code that names it, with its status. */
const CASES: Readonly<Record<string, readonly [status: number, Case]>> = {
  'instance.remove_refused': [
    409,
    async (fleet, data) => {
      writeFileSync(join(data.checkout_path, 'note.txt'), 'n')
      return fleet.destroy(data.id)
    },
  ],
  'instance.transfer_incomplete': [
    409,
    async (fleet, data) => {
      await stored(fleet, data.id, { transfer: transferOf(data, fleet.node.id) })
      return fleet.destroy(data.id, true)
    },
  ],
  'instance.lifecycle_busy': [
    409,
    async (fleet, data) => {
      const name = `instance:${fleet.project.id}:feature:lifecycle`
      const holder = { requestId: 'r', operation: 'instance:setup', waitMilliseconds: 0, leaseSeconds: 60 }
      await using lock = await fleet.store.locks.acquire({ ...holder, name })
      assert.ok(lock)
      return await fleet.destroy(data.id)
    },
  ],
  'instance.lifecycle_conflict': [
    409,
    async (fleet, data) => {
      await stored(fleet, data.id, { status: 'removing', removal_force: 0 })
      return fleet.create()
    },
  ],
  'instance.clone_in_progress': [
    409,
    async (fleet, data) => {
      await addInstance(fleet.store, {
        project_id: fleet.project.id,
        node_id: fleet.node.id,
        name: 'live',
        environment: 'production',
        status: 'source_resolved',
        clone_candidate_id: data.id,
      })
      return fleet.destroy(data.id, true)
    },
  ],
  'instance.force_failed': [
    502,
    async (fleet, data) => {
      // A program on the Node that ended before it could say what it did.
      const run: SshPool['run'] = (target, command, options) =>
        fleet.pool.run(
          target,
          command.shown.includes('discard checkout') ? program('false') : command,
          options,
        )
      return fleet.destroy(data.id, true, fleet.rebuild({ ssh: { ...fleet.pool, run } }))
    },
  ],
  'instance.teardown_step_failed': [
    502,
    async (fleet, data) => {
      const step = { project_id: fleet.project.id, position: 1, list: 'teardown', command: 'exit 4' } as const
      await addStep(fleet.store, step)
      return fleet.destroy(data.id, true)
    },
  ],
  'instance.checkout_path_unsafe': [
    409,
    async (fleet, data) => {
      renameSync(data.checkout_path, `${data.checkout_path}-moved`)
      symlinkSync(`${data.checkout_path}-moved`, data.checkout_path)
      return fleet.destroy(data.id, true)
    },
  ],
}

for (const [code, [status, refused]] of Object.entries(CASES))
  test(`a removal that cannot be done answers ${code} with its status [INS-121]`, async () => {
    await using fleet = await startInstancesFleet()
    const { data } = await fleet.create()
    const refusal = await refusalOf(refused(fleet, data))
    assert.deepEqual([refusal.code, refusal.status], [code, status])
  })
