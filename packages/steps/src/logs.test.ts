import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnsLog, eventsLog, noLog, type StepEvents } from './logs.ts'
import type { StepEvent } from './step.ts'

test('columns change as the table of the record says, with the error, and for no other event', async () => {
  const boom = new Error('boom')
  const written: object[] = []
  const log = columnsLog<object>({
    done: () => ['one'],
    begun: () => ['two'],
    on: {
      started: (step) => ({ step }),
      failed: (failed_step, cause) => ({ failed_step, cause }),
      undone: () => undefined,
    },
    write: async (values) => void written.push(values),
  })
  assert.deepEqual(await log.progress(), { done: ['one'], begun: ['two'] })
  await log.record('two', 'started')
  await log.record('two', 'done')
  await log.record('two', 'undone')
  await log.record('three', 'failed', boom)
  assert.deepEqual(written, [{ step: 'two' }, { failed_step: 'three', cause: boom }])
})

test('columns that show no progress run the whole list again', async () => {
  const log = columnsLog({ on: {}, write: async () => undefined })
  assert.deepEqual(await log.progress(), { done: [], begun: [] })
  await noLog.record('one', 'done')
  assert.deepEqual(await noLog.progress(), { done: [], begun: [] })
})

test('events resume from what is stored, and a missed step is finished', async () => {
  let stored: StepEvents = { one: 'done', two: 'missed', three: 'undoing', four: 'undone' }
  const log = eventsLog(stored, async (events) => void (stored = events))
  assert.deepEqual(await log.progress(), { done: ['one', 'two'], begun: ['three'] })
  await log.record('three', 'undone')
  assert.deepEqual(stored, { one: 'done', two: 'missed', three: 'undone', four: 'undone' })
  assert.deepEqual(await log.progress(), { done: ['one', 'two'], begun: [] })
})

test('an event that could not be stored did not happen', async () => {
  const log = eventsLog({}, () => Promise.reject(new Error('full')))
  await assert.rejects(log.record('one', 'done'))
  assert.deepEqual(await log.progress(), { done: [], begun: [] })
})

test('each event that is neither an end nor an undone one leaves its step begun', async () => {
  for (const event of ['started', 'failed', 'undoing', 'undo_failed'] as const satisfies StepEvent[]) {
    const log = eventsLog({ one: event }, async () => undefined)
    assert.deepEqual(await log.progress(), { done: [], begun: ['one'] })
  }
})
