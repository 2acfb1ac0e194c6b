import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall, type LocalPool, refusalOf } from '@fleet/testing'
import { domainOver, startWorld } from '#/dependencies/world.test.ts'

test('a collection has 30 s and 48 MiB, and a Node that takes more fails the request [DEX-030]', async () => {
  await using world = await startWorld()
  const limits: unknown[] = []
  const { run } = world.pool
  const measured: LocalPool = {
    ...world.pool,
    run: (target, command, options) => {
      limits.push([Math.round((options?.timeoutMilliseconds ?? 0) / 1000), options?.maxOutputBytes])
      return run(target, command, options)
    },
  }
  const input = { instance: world.instance.id }
  const scan = domainOver(world.store, measured).handlers['instance:dependencies:scan']
  await scan({ call: fakeCall(), input })
  assert.deepEqual(limits, [[30, 48 * 1024 * 1024]])
  for (const [kind, code] of [
    ['timeout', 'command.deadline_exceeded'],
    ['output_too_large', 'node.output_too_large'],
  ] as const) {
    world.pool.clearFaults()
    world.pool.loseReplyOf(() => true, kind)
    assert.equal((await refusalOf(world.scan())).code, code)
    assert.equal((await world.show()).javascript.error_code, 'dependencies.source_unavailable')
  }
})
