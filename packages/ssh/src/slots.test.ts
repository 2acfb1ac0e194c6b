import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { Slots } from './slots.ts'

const never = new AbortController().signal

test('users beyond the limit wait and enter in the order they came', async () => {
  const slots = new Slots(1)
  const entered: string[] = []
  const release = await slots.take(never)
  const waiting = ['a', 'b', 'c'].map(async (name) => {
    const leave = await slots.take(never)
    entered.push(name)
    leave()
  })
  assert.deepEqual(entered, [])
  release()
  await Promise.all(waiting)
  assert.deepEqual(entered, ['a', 'b', 'c'])
})

test('one who gives up leaves the line, and those behind move up', async () => {
  const slots = new Slots(1)
  const release = await slots.take(never)
  const control = new AbortController()
  const impatient = slots.take(control.signal)
  const patient = slots.take(never)
  control.abort(new Error('enough'))
  await assert.rejects(impatient, /enough/)
  release()
  const leave = await patient
  leave()
  await slots.take(control.signal).catch(() => undefined)
  // A slot lost to one who gave up would keep this from resolving.
  await slots.take(never)
  assert.equal(getEventListeners(control.signal, 'abort').length, 0)
})
