import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AT_ONCE, burst } from './burst.ts'
import { startLiveWorld, until } from './world.ts'

test('of reads at once, and as many again, every event arrives once, with a number of its own', async () => {
  await using world = await startLiveWorld()
  using client = await world.client()
  await client.join('private-fleet')
  await burst(world.fleet)
  const reads = () => client.heard.filter(({ data }) => data?.data?.command === 'project:list')
  await until('the events of all reads', () => reads().length >= 2 * AT_ONCE)
  assert.equal(new Set(reads().map(({ data }) => data.id)).size, 2 * AT_ONCE)
  assert.equal(reads().length, 2 * AT_ONCE)
  const numbers = client.heard.flatMap(({ data }) => (data?.sequence === undefined ? [] : [data.sequence]))
  assert.equal(new Set(numbers).size, numbers.length)
})
