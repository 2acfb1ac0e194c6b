import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Died, type Moment, type Mortal, makeMortal, momentsOf } from './death.ts'
import { addCluster } from './factories.ts'
import { scriptedPool } from './scripted-pool.ts'
import { openTestStore } from './store.ts'

interface Life {
  readonly mortal: Mortal
  /** What it left in the store and on machines. */
  readonly left: string
}

type Work = (mortal: Mortal, act: (name: string) => Promise<void>) => Promise<unknown>

async function live(work: Work, moment?: Moment): Promise<Life> {
  await using store = await openTestStore()
  const machines: string[] = []
  const mortal = makeMortal(store, scriptedPool(), moment)
  const act = (name: string) => mortal.around(async () => void machines.push(name))
  try {
    await work(mortal, act)
  } catch (error) {
    if (!(error instanceof Died)) throw error
  }
  const clusters = await store.db.selectFrom('clusters').select('name').orderBy('id').execute()
  return { mortal, left: [...clusters.map(({ name }) => name), '|', ...machines].join(' ') }
}

const WORKS: Readonly<Record<string, Work>> = {
  'one after the other': async ({ store }, act) => {
    await act('a')
    await act('b')
    await addCluster(store, { name: 'one' })
    await store.transaction(async (db) => {
      for (const name of ['two', 'three', 'four']) await addCluster({ ...store, db }, { name })
      await act('in a transaction')
      await addCluster({ ...store, db }, { name: 'five' })
    })
    await store.transaction(async (db) => addCluster({ ...store, db }, { name: 'six' }))
    await store.transaction(async (db) => addCluster({ ...store, db }, { name: 'seven' }))
    await act('c')
  },
  'some of it at once': async ({ store }, act) => {
    await Promise.all([act('a'), act('b').then(() => act('c'))])
    await addCluster(store, { name: 'one' })
    await act('d')
  },
}

const everyMomentOf = ({ writes, commands }: Mortal): readonly Moment[] =>
  (['beforeWrite', 'beforeCommand', 'afterCommand'] as const).flatMap((kind) =>
    Array.from(
      { length: kind === 'beforeWrite' ? writes() : commands() },
      (_, at) => ({ [kind]: at + 1 }) as Moment, // The kinds are those of moments.
    ),
  )

for (const [name, work] of Object.entries(WORKS))
  test(`${name}: the moments that are tried leave everything that any moment leaves, and are fewer`, async () => {
    const { mortal } = await live(work)
    const leftAt = async (moments: readonly Moment[]) =>
      Promise.all(moments.map(async (moment) => (await live(work, moment)).left))
    const every = everyMomentOf(mortal)
    const tried = mortal.moments()
    const left = await leftAt(tried)
    assert.deepEqual(new Set(left), new Set(await leftAt(every)))
    // A command in a transaction that is not committed is the one case that is tried twice.
    assert.ok(left.length <= new Set(left).size + 1, left.join('; '))
    assert.ok(tried.length < every.length, `${tried.length} of ${every.length}`)
  })

test('a whole run tries every moment', async (context) => {
  const { mortal } = await live(async (_, act) => {
    await act('a')
    await act('b')
  })
  const before = process.env['FLEET_TEST_WHOLE']
  context.after(() => {
    if (before === undefined) delete process.env['FLEET_TEST_WHOLE']
    else process.env['FLEET_TEST_WHOLE'] = before
  })
  delete process.env['FLEET_TEST_WHOLE']
  assert.deepEqual(momentsOf(mortal), [{ beforeCommand: 1 }, { beforeCommand: 2 }, { afterCommand: 2 }])
  process.env['FLEET_TEST_WHOLE'] = '1'
  assert.deepEqual(momentsOf(mortal), everyMomentOf(mortal))
})
