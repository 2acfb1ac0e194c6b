import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Died, makeMortal, momentsOf } from '@fleet/testing/death'
import { git } from '@fleet/testing/git-server'
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

test('a copy whose Git was cut off in the middle of its writing is finished by the identical request [INS-043]', async () => {
  await using world = await startCopyWorld()
  const { fleet, at } = world
  const files = { '.gitattributes': '*.bin filter=slow\n', 'a.txt': 'later\n', 'z.bin': 'content\n' }
  const commit = fleet.git.commit('app', 'later', files)
  const filter = join(fleet.home, 'filter')
  const setting = `[filter "slow"]\nrequired = true\nsmudge = "sh '${filter}'"\nclean = cat\n`
  writeFileSync(join(fleet.home, '.gitconfig'), setting)
  // The whole script dies with its Git, and the process of the request with its connection.
  writeFileSync(filter, 'kill -KILL 0\n')
  const before = fleet.pool.executed.length
  await world.copy({ name: 'counted' })
  const settling = fleet.pool.executed.slice(before).findIndex((shown) => shown.includes('settle copied'))
  assert.ok(settling > 0)
  const life = makeMortal(fleet.store, fleet.pool, { beforeCommand: settling + 2 })
  await assert.rejects(world.copy({ branch: 'later' }, fleet.rebuild(life)))
  assert.deepEqual(
    [textIn(at('feature', 'a.txt')), existsSync(at('feature', '.git/index.lock'))],
    ['later\n', true],
  )
  writeFileSync(filter, 'cat\n')
  const { starting_commit } = await world.copy({ branch: 'later' })
  assert.equal(starting_commit, commit)
  assert.equal(git(at('feature'), ['status', '--porcelain']), '')
  assert.equal(textIn(at('feature', 'z.bin')), 'content\n')
})
