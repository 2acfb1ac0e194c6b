import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runUpgrade, type UpgradeSteps } from './run.ts'
import { BACK, FORWARD, type UpgradeFailure, type UpgradeState } from './state.ts'
import { begun } from './world.test.ts'

class Killed extends Error {}
class Repeated extends Error {}

interface Given {
  /** Steps that never succeed. */
  readonly fails?: readonly string[]
  /** Steps before or after which the process dies once. */
  readonly deaths?: readonly string[]
  /** Steps that fail once. */
  readonly repeats?: readonly string[]
}

/** A machine whose process may die in the steps of the return, and that starts it again. */
class World {
  readonly done: string[] = []
  readonly failures: UpgradeFailure[] = []
  state: UpgradeState | undefined = begun
  outcome: UpgradeState | undefined
  /** What the link of the unit leads to. */
  release = begun.from
  readonly #fails: readonly string[]
  readonly #repeats: Set<string>
  readonly #deaths: Set<string>
  #isDead = false

  constructor({ fails = [], deaths = [], repeats = [] }: Given = {}) {
    this.#fails = fails
    this.#repeats = new Set(repeats)
    this.#deaths = new Set(deaths)
  }

  async #step(name: string): Promise<object> {
    if (this.#deaths.delete(`${name} before`)) this.#die()
    this.done.push(name)
    if (this.#deaths.delete(`${name} after`)) this.#die()
    if (this.#repeats.delete(name)) throw new Repeated(`${name} is not possible now`)
    if (this.#fails.includes(name)) throw new Error('it is broken')
    return name === 'snapshot' ? { snapshot: '/kept' } : {}
  }

  #die(): never {
    this.#isDead = true
    throw new Killed()
  }

  /** What a dead process would have written is not. */
  #write(work: () => void): void {
    if (this.#isDead) throw new Killed()
    work()
  }

  async run(): Promise<void> {
    const files: Files = {
      save: (state) => this.#write(() => (this.state = state)),
      noteFailure: (failure) => this.#write(() => this.failures.push(failure)),
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
      this.#isDead = false
      try {
        await runUpgrade(
          this.state,
          stepsOf(this.release, (name) => this.#step(name), files),
        )
      } catch (error) {
        if (!(error instanceof Killed || error instanceof Repeated)) throw error
      }
    }
  }
}

type Files = Pick<UpgradeSteps, 'save' | 'end' | 'handOver' | 'noteFailure'>

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
    const world = new World({ fails: [fails] })
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
  const files: Files = {
    save: (state) => saved.push(state),
    end: () => undefined,
    handOver: assert.fail,
    noteFailure: () => assert.fail(),
  }
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
    const world = new World({ fails: ['smoke'], deaths: [`${name} before`, `${name} after`] })
    await world.run()
    const expected = [...FORWARD.slice(0, 6), ...BACK, 'tell'].flatMap((step) =>
      step === name ? [step, step] : [step],
    )
    assert.deepEqual(world.done, expected)
    assert.equal(world.outcome?.reason?.step, 'smoke')
  }
})

test('an upgrade that another release resumes and turns back is told by the release from before, which alone can open the records', async () => {
  const world = new World({ fails: ['smoke'] })
  world.release = begun.to
  await world.run()
  const forward = FORWARD.slice(0, FORWARD.indexOf('smoke') + 1)
  assert.deepEqual(world.done, [...forward, ...BACK, 'hand over to v1', 'tell'])
})

test('a step of the return or of the end that fails is kept with its reason, and repeated', async () => {
  for (const name of [...BACK.slice(0, -1), 'tell']) {
    const world = new World({ fails: ['smoke'], repeats: [name] })
    await world.run()
    assert.deepEqual(world.failures, [{ id: begun.id, step: name, message: `${name} is not possible now` }])
    assert.deepEqual(world.outcome?.reason, { step: 'smoke', message: 'it is broken' })
  }
})

test('a release from before that fails the check as well ends the upgrade, with both reasons', async () => {
  const world = new World({ fails: ['smoke', 'smoke-back'], deaths: ['tell before'] })
  await world.run()
  assert.deepEqual(world.done.slice(-2), ['smoke-back', 'tell'])
  assert.deepEqual(world.outcome?.reason, {
    step: 'smoke',
    message: 'it is broken; after the return v1 failed too: it is broken',
  })
})
