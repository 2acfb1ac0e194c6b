import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runUpgrade, type UpgradeSteps } from './run.ts'
import { BACK, FORWARD, type UpgradeState } from './state.ts'
import { begun } from './world.test.ts'

class Killed extends Error {}

/** A machine whose process may die in the steps of the return, and that starts it again. */
class World {
  readonly done: string[] = []
  state: UpgradeState | undefined = begun
  outcome: UpgradeState | undefined
  /** What the link of the unit leads to. */
  release = begun.from
  readonly #fails: string | undefined
  readonly #deaths: Set<string>

  constructor({ fails, deaths = [] }: { readonly fails?: string; readonly deaths?: readonly string[] } = {}) {
    this.#fails = fails
    this.#deaths = new Set(deaths)
  }

  async #step(name: string): Promise<object> {
    if (this.#deaths.delete(`${name} before`)) throw new Killed()
    this.done.push(name)
    if (this.#deaths.delete(`${name} after`)) throw new Killed()
    if (name === this.#fails) throw new Error('it is broken')
    return name === 'snapshot' ? { snapshot: '/kept' } : {}
  }

  async run(): Promise<void> {
    const files: Files = {
      save: (state) => (this.state = state),
      handOver: (version) => {
        this.done.push(`hand over to ${version}`)
        this.release = version
      },
      end: (state) => {
        this.outcome = state
        this.state = undefined
      },
    }
    while (this.state) {
      try {
        await runUpgrade(
          this.state,
          stepsOf(this.release, (name) => this.#step(name), files),
        )
      } catch (error) {
        if (!(error instanceof Killed)) throw error
      }
    }
  }
}

type Files = Pick<UpgradeSteps, 'save' | 'end' | 'handOver'>

function stepsOf(version: string, step: (name: string) => Promise<object>, files: Files): UpgradeSteps {
  const named = (names: readonly string[]): object =>
    Object.fromEntries(names.map((name) => [name, () => step(name)]))
  return {
    forward: named(FORWARD) as UpgradeSteps['forward'], // Every name of the list.
    back: named(BACK) as UpgradeSteps['back'], // Every name of the list.
    version,
    tell: async () => void (await step('tell')),
    ...files,
  }
}

test('an upgrade takes its steps in order and keeps what they answer, and the new release tells its outcome', async () => {
  const world = new World()
  await world.run()
  assert.deepEqual(world.done, [...FORWARD, 'hand over to v2', 'tell'])
  assert.deepEqual(world.outcome, { ...begun, phase: 'last', step: 'tell', snapshot: '/kept' })
})

test('a step that fails sends it back through every step of the return, with the reason', async () => {
  for (const fails of FORWARD) {
    const world = new World({ fails })
    await world.run()
    const before = FORWARD.slice(0, FORWARD.indexOf(fails) + 1)
    assert.deepEqual(world.done, [...before, ...BACK, 'tell'])
    assert.deepEqual(world.outcome?.reason, { step: fails, message: 'it is broken' })
  }
})

test('what was saved before each step is enough to continue from it: forward, back and at the end', async () => {
  const broken = (name: string): Promise<object> =>
    name === 'smoke' ? Promise.reject(new Error('no answer')) : Promise.resolve({})
  const saved: UpgradeState[] = []
  const files: Files = { save: (state) => saved.push(state), end: () => undefined, handOver: assert.fail }
  await runUpgrade(begun, stepsOf('v1', broken, files))
  assert.equal(saved.length > FORWARD.length, true)
  for (const state of saved) {
    const order: string[] = []
    const ended = await runUpgrade(
      state,
      stepsOf('v1', broken, { ...files, save: ({ step }) => order.push(step) }),
    )
    assert.equal(ended?.reason?.message, 'no answer')
    assert.equal(order[0], state.step)
    assert.equal(order.at(-1), 'tell')
  }
})

test('a death in the rollback or while the outcome is reported repeats that step and no earlier one', async () => {
  for (const name of [...BACK, 'tell']) {
    const world = new World({ fails: 'smoke', deaths: [`${name} before`, `${name} after`] })
    await world.run()
    const expected = [...FORWARD.slice(0, 6), ...BACK, 'tell'].flatMap((step) =>
      step === name ? [step, step] : [step],
    )
    assert.deepEqual(world.done, expected)
    assert.equal(world.outcome?.reason?.step, 'smoke')
  }
})

test('an upgrade that another release resumes and turns back is told by the release from before, which alone can open the records', async () => {
  const world = new World({ fails: 'smoke' })
  world.release = begun.to
  await world.run()
  const forward = FORWARD.slice(0, FORWARD.indexOf('smoke') + 1)
  assert.deepEqual(world.done, [...forward, ...BACK, 'hand over to v1', 'tell'])
})
