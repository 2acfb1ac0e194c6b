import assert from 'node:assert/strict'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { InstanceDeploymentData } from '@fleet/contract'
import { startWorld } from '#/deployments/world.test.ts'

test('a rollback that waited for a deployment which deleted its release is refused before anything changes [DEPL-035]', async () => {
  await using world = await startWorld()
  await world.deploy()
  await world.deploy()
  const [first = '', second = ''] = world.releases()
  const domain = world.waiting(async () =>
    rmSync(join(world.home, 'releases', first), { recursive: true, force: true }),
  )
  await assert.rejects(world.rollback(first, { domain }), {
    code: 'validation.failed',
    status: 422,
    details: { errors: { release: [`must be one that the Instance still has: ${second}`] } },
  })
  assert.deepEqual([(await world.rows()).length, world.current()], [2, `releases/${second}`])
})

test('an Instance of which the removal was accepted while a deployment or rollback of it waited gets a failed result and no row [DEPL-023]', async () => {
  await using world = await startWorld()
  await world.deploy()
  const [release = ''] = world.releases()
  const status = (to: 'active' | 'removing') =>
    world.store.db.updateTable('instances').set({ status: to }).execute()
  const domain = world.waiting(() => status('removing'))
  for (const work of [() => world.deploy({ domain }), () => world.rollback(release, { domain })]) {
    const { result, failure } = await work()
    assert.deepEqual(
      [result.status, result.failed_step, result.error_code, failure],
      ['failed', 'operation', 'deployment_config.unavailable', 'deployment_config.unavailable'],
    )
    await status('active')
  }
  assert.equal((await world.rows()).length, 1)
  assert.deepEqual(world.releases(), [release])
})

test('a deployment announces the branch and the selected release as they are once nothing else runs on its Instance [DEPL-030, EV-056]', async () => {
  await using world = await startWorld()
  await world.deploy()
  await world.deploy()
  const [first = '', second = ''] = world.releases()
  world.fleet.git.commit('app', 'stable', { 'a.txt': '1' })
  const announced = async (domain = world.domain) => {
    const { call } = await world.deploy({ domain })
    return call.events[0]?.data as InstanceDeploymentData // The event of a deployment has its record.
  }
  const changed = await announced(
    world.waiting(() =>
      world.store.db
        .updateTable('instances')
        .set({ deployment_branch: 'stable', selected_release: first })
        .execute(),
    ),
  )
  assert.deepEqual([changed.branch, changed.selected_release], ['stable', first])
  // A run that nobody ended has selected another release than the record has.
  await world.store.db
    .updateTable('deployments')
    .set({ status: 'running' })
    .where('release', '=', second)
    .execute()
  rmSync(join(world.home, 'current'))
  symlinkSync(`releases/${second}`, join(world.home, 'current'))
  assert.equal((await announced()).selected_release, second)
  await world.store.db.updateTable('deployments').set({ status: 'running' }).execute()
  rmSync(join(world.home, 'current'))
  await world.steps({ name: 'bad', command: 'false' })
  assert.equal((await announced()).selected_release, null)
})
