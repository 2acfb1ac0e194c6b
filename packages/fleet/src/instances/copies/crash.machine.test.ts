import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Died, makeMortal, momentsOf } from '@fleet/testing/death'
import { startCopyWorld, textIn, walk } from './world.test.ts'

/** So many tests share the moments, because each takes its time. */
const SHARES = 6

for (let share = 0; share < SHARES; share += 1)
  test(`a process that dies anywhere in a copy leaves what the identical request finishes: share ${share + 1} [INS-043, INS-072]`, async () => {
    await using world = await startCopyWorld()
    const { fleet, at } = world
    const before = walk(at('default'))
    const whole = makeMortal(fleet.store, fleet.pool)
    await world.copy({ name: 'counted' }, fleet.rebuild(whole))
    const contentOf = (name: string) =>
      walk(at(name)).filter((entry) => !/^(?:\.env|public\/storage) /.test(entry))
    const moments = momentsOf(whole)
    assert.ok(moments.length > 16, `${moments.length}`)
    for (const [index, moment] of moments.entries()) {
      if (index % SHARES !== share) continue
      const name = `c${index}`
      const when = JSON.stringify(moment)
      const life = makeMortal(fleet.store, fleet.pool, moment)
      await assert.rejects(world.copy({ name }, fleet.rebuild(life)), Died, when)
      const data = await world.copy({ name })
      assert.deepEqual([data.status, data.copy_mode], ['active', 'full'], when)
      assert.deepEqual(contentOf(name), contentOf('counted'), when)
      assert.equal(
        textIn(at(name, '.env')),
        `DATA="${at(name, 'data')}/x"\nOTHER="${at('default')}-2/x"\n`,
        when,
      )
    }
    assert.deepEqual(walk(at('default')), before)
  })
