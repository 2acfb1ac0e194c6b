import assert from 'node:assert/strict'
import { addInstance } from '@fleet/testing'
import { instance, nothing, type Scenario, publishes, unique } from './scenes.ts'
import { type FeedWorld, recordsOf } from './world.ts'

/** A production Instance as a record. */
export async function production(world: FeedWorld): Promise<number> {
  const place = { project_id: await world.project(), node_id: world.fleet.nodes.granted }
  const row = { ...place, name: unique('live'), environment: 'production' } as const
  return (await addInstance(world.fleet.store, row)).id
}

/** A development Instance: the failed result is all that comes of it. The tests of deployments show the events of a row. */
const refusedStream =
  (operation: 'deploy' | 'rollback', body: Readonly<Record<string, unknown>>): Scenario =>
  async (world) => {
    const { id } = await instance(world)
    const done = await world.perform('POST', `/instances/${id}/${operation}`, { body })
    assert.equal(done.status, 200)
    assert.deepEqual(await recordsOf(world, done), [])
    assert.equal(done.events.at(-1)?.data['status'], 'failed')
    assert.equal(done.events.at(-1)?.data['error_code'], 'deployment_config.unavailable')
  }

/** The event of a step has its name as its id, and no id in its data. */
const deployStep =
  (last: 'POST' | 'PATCH' | 'DELETE'): Scenario =>
  async (world) => {
    const path = `/instances/${await production(world)}/deploy-steps`
    const create = ['POST', path, { body: { name: 'build', command: 'make' } }] as const
    const step = await publishes(world, create, ({ data }) => [['deploy_step.created', data, 'build']])
    assert.deepEqual(Object.keys(step.data), ['name', 'phase', 'command', 'timeout_seconds'])
    if (last === 'POST') return void (await publishes(world, create, nothing))
    const body = last === 'PATCH' ? { body: { command: 'make all' } } : {}
    const type = last === 'PATCH' ? 'deploy_step.updated' : 'deploy_step.deleted'
    await publishes(world, [last, `${path}/build`, body], ({ data }) => [[type, data, 'build']])
  }

/** Deployments and what they are made from. */
export const REPORTED_DEPLOYMENTS = {
  'instance:update': async (world) => {
    const path = `/instances/${await production(world)}`
    await publishes(world, ['PATCH', path, { body: { branch: 'next' } }], async () => [
      ['instance.updated', await world.read(path)],
    ])
    await publishes(world, ['PATCH', path, { body: { branch: 'next' } }], nothing)
  },
  'instance:deploy': refusedStream('deploy', {}),
  'instance:rollback': refusedStream('rollback', { release: 'x' }),
  'instance:deploy-step:create': deployStep('POST'),
  'instance:deploy-step:update': deployStep('PATCH'),
  'instance:deploy-step:destroy': deployStep('DELETE'),
} as const satisfies Readonly<Record<string, Scenario>>
