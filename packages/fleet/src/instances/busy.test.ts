import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError, Deadline, systemClock } from '@fleet/kernel'
import {
  addInstance,
  addNode,
  addProject,
  type FakeCall,
  fakeCall,
  localPool,
  openTestStore,
  testDomains,
} from '@fleet/testing'

const QUEUE: { name: string; runtime: 'systemd'; command: string[] } = {
  name: 'queue',
  runtime: 'systemd',
  command: ['/bin/true'],
}
const NIGHTLY = { name: 'nightly', calendar: 'daily', command: 'true', timeout_seconds: 60, start: false }

test('while another operation holds an Instance, each family waits and then refuses with a code of its own [GW-042]', async () => {
  await using store = await openTestStore()
  const placed = { node_id: (await addNode(store)).id, project_id: (await addProject(store)).id }
  const { id } = await addInstance(store, placed)
  const production = await addInstance(store, {
    ...placed,
    name: 'live',
    environment: 'production',
    production_user: 'shop',
    production_home: '/home/shop',
  })
  const pool = localPool({ home: '/nowhere' })
  const { databases, dependencies, deployments, environment, instances, processes, schedules } = testDomains({
    store,
    ssh: pool,
  })
  const of = { instance: id }
  const target = { target_type: 'instance', target_id: id } as const
  const ways: Readonly<Record<string, readonly ((call: FakeCall) => unknown)[]>> = {
    'env.operation_busy': [
      (call) => environment.handlers['env:update']({ call, input: { ...of, key: 'A', value: 'b' } }),
      (call) => environment.handlers['env:import']({ call, input: of }),
      (call) => environment.handlers['env:sync']({ call, input: of }),
      (call) =>
        databases.handlers['instance:database:add']({ call, input: { ...of, slug: 'shop', prefix: 'DB' } }),
    ],
    'dependencies.operation_busy': [
      (call) => dependencies.handlers['instance:dependencies:scan']({ call, input: of }),
      (call) => dependencies.handlers['instance:dependencies:update']({ call, input: of }),
    ],
    'process.operation_busy': [
      (call) => processes.handlers['process:create']({ call, input: { ...target, ...QUEUE } }),
    ],
    'schedule.operation_busy': [
      (call) => schedules.handlers['schedule:create']({ call, input: { ...target, ...NIGHTLY } }),
    ],
    'deployment.operation_busy': [
      (call) => deployments.handlers['instance:deploy']({ call, input: { instance: production.id } }),
    ],
  }
  const held = (instance: number, work: () => Promise<void>): Promise<void> =>
    instances.instances.withOperationLock(fakeCall(), instance, 'env.operation_busy', work)
  await held(id, () =>
    held(production.id, async () => {
      for (const [code, requests] of Object.entries(ways))
        for (const request of requests) {
          const call = fakeCall({ deadline: new Deadline(systemClock, 20.1, 20) })
          const asked = performance.now()
          const refusal: unknown = await Promise.resolve(request(call)).catch((error: unknown) => error)
          assert.ok(refusal instanceof CodedError, code)
          assert.deepEqual([refusal.code, refusal.status], [code, 409])
          assert.ok(performance.now() - asked >= 90, 'it waited')
        }
    }),
  )
  assert.deepEqual(pool.commands, [])
})
