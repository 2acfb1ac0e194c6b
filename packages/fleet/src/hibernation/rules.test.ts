import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HIBERNATION_DEFAULTS } from '#/hibernation/deps.ts'
import { dueOf } from '#/hibernation/rules.ts'
import { Wakes } from '#/hibernation/wakes.ts'

const NOTHING = {
  awake: undefined,
  started: undefined,
  visited: undefined,
  slept: undefined,
  isCold: false,
  isHalting: false,
}
const due = (markers: Partial<Parameters<typeof dueOf>[0]>) =>
  dueOf({ ...NOTHING, ...markers }, HIBERNATION_DEFAULTS)

test('the newer of the last visit and the awake marker is the last use, and without either an Instance is idle [HIB-008]', () => {
  assert.equal(due({ awake: 3599, visited: 9000 }), undefined)
  assert.equal(due({ awake: 9000, visited: 3599 }), undefined)
  assert.equal(due({ awake: 3600, visited: 3600 }), 'halt')
  assert.equal(due({ visited: 100 }), undefined)
  assert.equal(due({ started: 3599, visited: 9000 }), undefined)
  assert.equal(due({ started: 3600, visited: 9000 }), 'halt')
  assert.equal(due({}), 'halt')
})

test('one that sleeps is pruned once, after the long window since its last visit or the use before its sleep', () => {
  assert.equal(due({ slept: 604_799 }), undefined)
  assert.equal(due({ slept: 604_800 }), 'prune')
  assert.equal(due({ slept: 604_800, visited: 5 }), undefined)
  assert.equal(due({ slept: 700_000, isCold: true }), undefined)
  assert.equal(due({ slept: 700_000, awake: 5 }), undefined)
})

test('visitors that come at once ask once, and go on without one that has gone', async () => {
  const wakes = new Wakes({ ticks: () => 0 }, 60)
  const answers = Promise.withResolvers<boolean>()
  let asked = 0
  const ask = (answer: Promise<boolean>) =>
    wakes.together(7, () => {
      asked += 1
      return answer
    })
  const visitors = [ask(answers.promise), ask(Promise.resolve(true))]
  answers.reject(new Error('gone'))
  assert.deepEqual(
    (await Promise.allSettled(visitors)).map(({ status }) => status),
    ['rejected', 'fulfilled'],
  )
  assert.deepEqual([await ask(Promise.resolve(false)), asked], [false, 3])
})

test('a failed wake is shown once and for 120 s; one that takes longer than any may is begun anew', () => {
  let ticks = 0
  const wakes = new Wakes({ ticks: () => ticks }, 60)
  assert.deepEqual([wakes.begin(7), wakes.begin(7), wakes.begin(8)], [true, false, true])
  ticks = 60_000
  assert.equal(wakes.begin(7), true)
  const failure = { code: 'instance.wake_failed', message: 'It failed.' }
  wakes.end(7, failure)
  assert.equal(wakes.isRunning(7), false)
  ticks += 119_999
  assert.deepEqual(wakes.takeFailure(7), failure)
  assert.equal(wakes.takeFailure(7), undefined)
  wakes.end(7, failure)
  ticks += 120_000
  assert.equal(wakes.takeFailure(7), undefined)
  wakes.end(7, failure)
  wakes.end(7)
  assert.equal(wakes.takeFailure(7), undefined)
})
