import assert from 'node:assert/strict'
import { FakeClock, forEachDialect, openTestStore } from '@fleet/testing'
import { beginGrace, isPostponed } from '#/clusters/grace.ts'

const WITHDRAWAL = { kind: 'sample:withdraw', key: '1', payload: null }

forEachDialect(
  'what is withdrawn when its grace is over is postponed by another change alone, and not by a clock that was set back',
  async (dialect) => {
    const clock = new FakeClock()
    await using store = await openTestStore({ dialect, clock })
    const deps = { store, clock }
    await beginGrace(deps, WITHDRAWAL)
    clock.advance(31_000)
    const claim = { kinds: [WITHDRAWAL.kind], leaseSeconds: 60 }
    const piece = (await store.work.claim(claim)) ?? assert.fail('nothing is due')
    clock.setBack(5000)
    assert.equal(await isPostponed(deps, WITHDRAWAL), false)
    await beginGrace(deps, WITHDRAWAL)
    assert.equal(await isPostponed(deps, WITHDRAWAL), true)
    await store.transaction((db) => piece.done(db))
    piece[Symbol.dispose]()
    clock.advance(31_000)
    using again = (await store.work.claim(claim)) ?? assert.fail('nothing is due')
    assert.equal(await isPostponed(deps, WITHDRAWAL), false)
    await store.transaction((db) => again.done(db))
    assert.equal(await isPostponed(deps, WITHDRAWAL), false)
  },
)

forEachDialect('what another gateway takes over before its grace is over is postponed', async (dialect) => {
  const clock = new FakeClock()
  await using store = await openTestStore({ dialect, clock })
  const deps = { store, clock }
  await beginGrace(deps, WITHDRAWAL)
  clock.advance(31_000)
  const claim = { kinds: [WITHDRAWAL.kind], leaseSeconds: 20 }
  const first = (await store.work.claim(claim)) ?? assert.fail('nothing is due')
  await beginGrace(deps, WITHDRAWAL)
  first[Symbol.dispose]()
  clock.advance(20_000)
  using _ = (await store.work.claim(claim)) ?? assert.fail('nobody took it over')
  assert.equal(await isPostponed(deps, WITHDRAWAL), true)
})
