import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { Slots } from './slots.ts'

const never = new AbortController().signal

test('users beyond the limit wait and enter in the order they came', async () => {
  const slots = new Slots({ all: 1 })
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
  const slots = new Slots({ all: 1 })
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

test('slots kept for short use stay free of long use, whatever waits', async () => {
  const slots = new Slots({ all: 3, long: 2 })
  const entered: string[] = []
  const take = async (name: string, isLong: boolean): Promise<() => void> => {
    const leave = await slots.take(never, isLong)
    entered.push(name)
    return leave
  }
  const [first] = await Promise.all([take('long 1', true), take('long 2', true)])
  const third = take('long 3', true)
  const short = await take('short 1', false)
  const second = take('short 2', false)
  short()
  ;(await second)()
  assert.deepEqual(entered, ['long 1', 'long 2', 'short 1', 'short 2'])
  first()
  await third
  assert.equal(entered.at(-1), 'long 3')
})

test('what waits for a slot of any kind enters in the order it came', async () => {
  const slots = new Slots({ all: 1, long: 1 })
  const entered: string[] = []
  const release = await slots.take(never)
  const waiting = [true, false, true].map(async (isLong, index) => {
    const leave = await slots.take(never, isLong)
    entered.push(`${index}`)
    leave()
  })
  release()
  await Promise.all(waiting)
  assert.deepEqual(entered, ['0', '1', '2'])
})
