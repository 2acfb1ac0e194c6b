import assert from 'node:assert/strict'
import type { Store } from '@fleet/store'
import { FakeClock, forEachDialect, makeTestDatabase, openTestStore } from '@fleet/testing'
import { attempt } from '#/work/attempt.ts'
import { activitiesOf, counted, gatewayOf } from '#/work/world.test.ts'

const CLAIM = { kinds: [counted.name], leaseSeconds: 60 }

/** Counts the moments at which a process can die and, at the given one, makes every later query of it fail. */
class Life {
  moments = 0
  readonly #dies: number

  constructor(dies: number) {
    this.#dies = dies
  }

  /** Whether the next moment is its death. */
  get isDying(): boolean {
    return this.moments + 1 >= this.#dies
  }

  pass(): void {
    this.moments += 1
    if (this.moments >= this.#dies) throw new Error('the process is dead')
  }
}

/** The store as a process sees it that dies: before each statement, and before and after each transaction and claim. */
function mortal(store: Store, life: Life): Store {
  const plugin = {
    transformQuery: ({ node }: { node: Parameters<Plugin['transformQuery']>[0]['node'] }) => {
      life.pass()
      return node
    },
    transformResult: async ({ result }: Parameters<Plugin['transformResult']>[0]) => result,
  }
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    life.pass()
    const result = await work()
    life.pass()
    return result
  }
  return {
    ...store,
    db: store.db.withPlugin(plugin),
    relaxed: store.relaxed.withPlugin(plugin),
    transaction: (work) => around(() => store.transaction((db) => work(db.withPlugin(plugin)))),
    work: {
      add: (piece, db) => store.work.add(piece, db),
      async claim(request) {
        life.pass()
        const piece = await store.work.claim(request)
        // A dead process renews nothing.
        if (life.isDying) piece?.[Symbol.dispose]()
        life.pass()
        return piece
      },
      dueAt: (kind, key) => store.work.dueAt(kind, key),
      isPostponed: (kind, key, now) => store.work.isPostponed(kind, key, now),
      nextDueAt: (kinds) => store.work.nextDueAt(kinds),
      listDead: () => store.work.listDead(),
      listTroubled: (limits) => store.work.listTroubled(limits),
      retryFailed: () => store.work.retryFailed(),
      hasten: (reached) => store.work.hasten(reached),
      onAdded: (listener) => store.work.onAdded(listener),
    },
  }
}
type Plugin = NonNullable<Parameters<Store['db']['withPlugin']>[0]>

/** Claims and carries out one piece, if there is one. The rest of a dead process is silence. */
async function workOnce(store: Store, clock: FakeClock, gatewayId: string): Promise<boolean> {
  const { deps } = gatewayOf(store, clock, gatewayId)
  const piece = await store.work.claim(CLAIM)
  if (!piece) return false
  using held = piece
  await attempt(deps, counted, held)
  return true
}

forEachDialect(
  'work whose process dies at any moment ends exactly once on another gateway, with its Activity',
  async (dialect) => {
    const clock = new FakeClock()
    await using database = await makeTestDatabase(dialect)
    await using one = await openTestStore({ database, clock, gatewayId: 'one' })
    await using two = await openTestStore({ database, clock, gatewayId: 'two' })
    let outcomes = new Set<string>()
    for (let dies = 1; ; dies += 1) {
      const name = `sample.${dies}`
      await one.work.add({ kind: counted.name, payload: { name }, dueAt: clock.now() })
      const life = new Life(dies)
      await workOnce(mortal(one, life), clock, 'one').catch(() => undefined)
      const survived = life.moments < dies
      clock.advance(60_000)
      while (await workOnce(two, clock, 'two'));
      assert.deepEqual(await two.db.selectFrom('work').select('id').execute(), [], `died at ${dies}`)
      const activities = await activitiesOf(two)
      assert.equal(activities.filter((status) => status === 'succeeded').length, 1, `died at ${dies}`)
      assert.deepEqual(
        activities.filter((status) => status !== 'succeeded' && status !== 'failed activity.interrupted'),
        [],
        `died at ${dies}`,
      )
      const facts = await two.db.selectFrom('facts').select('name').where('name', '=', name).execute()
      assert.equal(facts.length, 1, `died at ${dies}`)
      outcomes = outcomes.add(activities.join())
      await two.db.deleteFrom('activities').execute()
      if (survived) break
    }
    assert.deepEqual(
      [...outcomes],
      ['succeeded', 'failed activity.interrupted,succeeded'].toSorted().toReversed(),
    )
  },
)
