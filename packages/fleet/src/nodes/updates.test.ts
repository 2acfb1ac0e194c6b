import assert from 'node:assert/strict'
import { addNode, FakeClock, fakeCall, forEachDialect, localPool, openTestStore } from '@fleet/testing'
import { Died, makeMortal } from '@fleet/testing/death'
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
  const call = fakeCall()
  await updates.endStale(call)
  assert.deepEqual(call.published, [])
  clock.advance(1)
  await updates.endStale(call)
  const ended = call.published.map(({ type, data }) => [type, Object(data).id, Object(data).updating])
  assert.deepEqual(ended, [['node.updated', id, null]])
  await updates.endStale(call)
  assert.equal(call.published.length, 1)
})

forEachDialect(
  'a dead run that was ended is published although the next one cannot be [EV-021]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const clock = new FakeClock()
    const updates = makeUpdates(store, clock)
    const nodes = [await addNode(store), await addNode(store)]
    for (const { id } of nodes) await updates.begin(fakeCall(), id, release)
    clock.advance(20 * 60 * 1000)
    const call = fakeCall()
    const dying = makeMortal(store, localPool({ home: '/' }), { beforeWrite: 3 }).store
    await assert.rejects(makeUpdates(dying, clock).endStale(call), Died)
    assert.deepEqual(
      call.published.map(({ data }) => Object(data).id),
      [nodes[0]?.id],
    )
  },
)
