import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { CHECKOUTS_AT_ONCE } from '#/project-updates/each.ts'
import { refusalOf, startWorld, URL, viewOf } from '#/project-updates/world.test.ts'

const HUNDRED = Array.from({ length: 100 }, (_, index) => (index === 0 ? 'default' : `i${index}`))

test('of a hundred Instances any one may fail: the others go back, progress and error name it, and few are asked at once [PRJ-042, PRJ-047]', async () => {
  await using world = await startWorld({ names: HUNDRED })
  const before = await viewOf(world)
  for (const name of HUNDRED) {
    world.broken.set(`origin ${name}`, 'node.unreachable')
    const call = fakeCall()
    const error = await refusalOf(world.update({ repository_url: URL }, call))
    assert.equal(error.code, 'node.unreachable')
    assert.equal((error.details?.['instance'] as { name: string } | undefined)?.name, name) // Of this code.
    assert.ok(call.steps.includes(`origins: ${name} failed`), name)
    assert.deepEqual(await viewOf(world), before, name)
    world.broken.clear()
  }
  let [running, most] = [0, 0]
  const { leadOrigin } = world.deps.checkouts
  Object.assign(world.deps.checkouts, {
    leadOrigin: async (...given: Parameters<typeof leadOrigin>) => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      await leadOrigin(...given)
      running -= 1
    },
  })
  await world.update({ repository_url: URL })
  assert.equal(most, CHECKOUTS_AT_ONCE)
  assert.deepEqual([...new Set([...world.checkouts.values()].map(({ origin }) => origin))], [URL])
})
