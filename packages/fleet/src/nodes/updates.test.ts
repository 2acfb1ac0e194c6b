import assert from 'node:assert/strict'
import { addNode, FakeClock, fakeCall, forEachDialect, openTestStore } from '@fleet/testing'
import { makeUpdates } from '#/nodes/updates.ts'

const release = { kind: 'gateway_release', rollout: null, release: 'v2' } as const

forEachDialect(
  'a release shows on its Node and in an event when it starts and when it ends, each once [NODE-016, ROL-020, EV-021]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const clock = new FakeClock()
    const updates = makeUpdates(store, clock)
    const { id } = await addNode(store)
    const call = fakeCall()
    const since = clock.now().toISOString()
    await updates.begin(call, id, release)
    clock.advance(5000)
    await updates.begin(call, id, release)
    await updates.end(call, id)
    await updates.end(call, id)
    assert.deepEqual(
      // A release that is returned fails its request.
      call.published.map(({ type, data }) => [type, Object(data).updating]),
      [
        ['node.updated', { ...release, since }],
        ['node.updated', null],
      ],
    )
  },
)

forEachDialect('a dead run stops counting after 20 minutes and no earlier [ROL-021]', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const clock = new FakeClock()
  const updates = makeUpdates(store, clock)
  const { id } = await addNode(store)
  await updates.begin(fakeCall(), id, release)
  clock.advance(20 * 60 * 1000 - 1)
  assert.deepEqual(await updates.endStale(), [])
  clock.advance(1)
  const [ended] = await updates.endStale()
  assert.deepEqual([ended?.id, ended?.updating], [id, null])
  assert.deepEqual(await updates.endStale(), [])
})
