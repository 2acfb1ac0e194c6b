import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '@fleet/store'
import { makeWorld, type World, type WorldGiven } from '#/environment/world.test.ts'

class Killed extends Error {
  override readonly name = 'Killed'
}

/** A store whose n-th transaction never begins, or ends without anybody hearing of it. Counting starts when armed. */
class BreakableStore {
  #left = 0
  #when: 'before' | 'after' = 'before'

  arm(transaction: number, when: 'before' | 'after'): void {
    this.#left = transaction
    this.#when = when
  }

  over(store: Store): Store {
    return {
      ...store,
      transaction: async (work) => {
        this.#left -= 1
        const hit = this.#left === 0
        if (hit && this.#when === 'before') throw new Killed()
        const result = await store.transaction(work)
        if (hit) throw new Killed()
        return result
      },
    }
  }
}

const FINAL = 'A="new"\nB="it\'s"\n'

async function prepared(given: WorldGiven = {}): Promise<World> {
  const world = await makeWorld(given)
  await world.update('A', 'old')
  await world.sync()
  await world.update('A', 'new')
  await world.update('B', "it's")
  return world
}

/** The old file or the new one, whole, private, and nothing beside it. */
function assertWhole(world: World): void {
  assert.ok(['A="old"\n', FINAL].includes(world.fileText()))
  assert.equal(world.mode(), '600')
  assert.deepEqual(world.entries(), ['.env'])
}

async function assertFinishes(world: World): Promise<void> {
  world.pool.clearFaults()
  assert.partialDeepStrictEqual(await world.sync(), { operation: 'sync', key_count: 2 })
  assert.equal(world.fileText(), FINAL)
  assertWhole(world)
  const rows = await world.store.db
    .selectFrom('environment_files')
    .select(['known_keys', 'pending_keys'])
    .execute()
  assert.deepEqual(rows, [{ known_keys: ['A', 'B'], pending_keys: null }])
  assert.partialDeepStrictEqual(await world.sync(), { changed: false })
}

const ROUND_TRIPS = 2

for (let number = 1; number <= ROUND_TRIPS; number += 1) {
  for (const fault of ['failBefore', 'loseReplyOf'] as const) {
    test(`a synchronization cut off at round trip ${number} (${fault}) leaves a whole file and its repeat finishes [ENV-051]`, async () => {
      await using world = await prepared()
      world.pool[fault](world.pool.commands.length + number)
      await assert.rejects(world.sync())
      assertWhole(world)
      await assertFinishes(world)
    })
  }
}

// The snapshot, the names of the open write, the confirmation.
const TRANSACTIONS = 3

for (let number = 1; number <= TRANSACTIONS; number += 1) {
  for (const when of ['before', 'after'] as const) {
    test(`a synchronization killed ${when} transaction ${number} leaves a whole file and its repeat finishes [ENV-051]`, async () => {
      const breakable = new BreakableStore()
      await using world = await prepared({ behind: (store) => breakable.over(store) })
      breakable.arm(number, when)
      await assert.rejects(world.sync(), Killed)
      assertWhole(world)
      await assertFinishes(world)
    })
  }
}

test('an import killed before or after its one transaction stores all or nothing and its repeat finishes [ENV-029]', async () => {
  for (const when of ['before', 'after'] as const) {
    const breakable = new BreakableStore()
    await using world = await makeWorld({ behind: (store) => breakable.over(store) })
    world.putFile('A=1\nB=2\n')
    breakable.arm(1, when)
    await assert.rejects(world.import(true), Killed)
    assert.deepEqual(await world.stored(), when === 'before' ? {} : { A: '1', B: '2' })
    assert.partialDeepStrictEqual(await world.import(true), { changed: when === 'before', key_count: 2 })
  }
})
