import assert from 'node:assert/strict'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addCluster } from '@fleet/testing'
import { startWorld } from '#/deployments/world.test.ts'

test('the record has the release that the Node serves also after a deployment or a rollback that failed, and Routes that wait for it are tried again [DEPL-027, RTX-050]', async () => {
  await using world = await startWorld()
  const { id } = await addCluster(world.store, { state: 'active' }, [world.fleet.node])
  const { db } = world.store
  const tried = async () => {
    const rows = await db
      .selectFrom('work')
      .select('payload')
      .where('kind', '=', 'route:publish-waiting')
      .execute()
    await db.deleteFrom('work').execute()
    return rows
  }
  await world.deploy()
  const [first = ''] = world.releases()
  await tried()
  world.fleet.pool.loseReplyOf((shown) => shown.includes('select release'))
  const lost = await world.deploy()
  assert.equal(lost.result.failed_step, 'activation')
  const { release } = await world.row()
  assert.deepEqual(
    [(await world.stored()).selected_release, world.current()],
    [release, `releases/${release}`],
  )
  assert.deepEqual(await tried(), [{ payload: JSON.stringify({ cluster_id: id }) }])
  assert.equal((await world.rollback(first)).result.failed_step, 'rollback_selection')
  assert.deepEqual([(await world.stored()).selected_release, world.current()], [first, `releases/${first}`])
  world.fleet.pool.clearFaults()
  // Somebody has moved the link by hand.
  rmSync(join(world.home, 'current'))
  symlinkSync(`releases/${release}`, join(world.home, 'current'))
  await world.steps({ name: 'bad', command: 'false' })
  assert.equal((await world.deploy()).result.selected_release, release)
  assert.equal((await world.stored()).selected_release, release)
})
