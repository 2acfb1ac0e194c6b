import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ErrorCode, fail } from '@fleet/contract'
import { stepList } from '@fleet/steps'
import { fakeCall } from '@fleet/testing'
import { performSteps, type StepWork } from '#/perform-steps.ts'

type Work = Omit<StepWork<undefined>, 'call'>

/** What a client gets of a list whose step `install` throws. */
async function failed(code: ErrorCode, details?: Readonly<Record<string, unknown>>, work: Work = {}) {
  const run = (): never => {
    throw fail(code, details && { details })
  }
  const list = stepList<undefined>('test', () => [{ name: 'install', run }], { forwardOnly: true })
  let error: unknown
  await assert.rejects(performSteps(list, undefined, { call: fakeCall(), ...work }), (thrown) => {
    error = thrown
    return true
  })
  const { details: answered } = Object(error) as { details?: Readonly<Record<string, unknown>> } // as: asserted by who calls.
  return answered
}

test('work that failed on a Node names its step, beside what its error knows [GW-029]', async () => {
  assert.deepEqual(await failed('schedule.install_failed', { node: 'web-1' }), {
    node: 'web-1',
    step: 'install',
  })
  assert.deepEqual(await failed('schedule.install_failed'), { step: 'install' })
  assert.deepEqual(await failed('schedule.install_failed', { step: 'unit' }), { step: 'unit' })
  assert.deepEqual(await failed('schedule.install_failed', {}, { nameFor: () => 'timer' }), { step: 'timer' })
  // A step that no client sees has no name for one.
  assert.deepEqual(await failed('schedule.install_failed', {}, { nameFor: () => undefined }), {})
})

test('a refusal is not what a step did', async () => {
  assert.deepEqual(await failed('schedule.artifact_conflict', { unit: 'a' }), { unit: 'a' })
})

test('the error that a list makes of a failure names the step too [GW-029]', async () => {
  const errorOf = () => fail('node.unreachable', { details: { node: 'web-1' } })
  assert.deepEqual(await failed('schedule.artifact_conflict', {}, { errorOf }), {
    node: 'web-1',
    step: 'install',
  })
})
