import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Answer, MalformedOutput } from '@fleet/shell'
import { answerText } from '@fleet/testing'
import { readContainers } from './containers.ts'
import { readUnits } from './read-units.ts'

const answer = (fields: Readonly<Record<string, string>>): Answer =>
  new Answer(Buffer.from(answerText({ nanoseconds: '100000000', before: '', ...fields })))

test('the status of a unit is in the words of systemd, that of a container in those of Docker [PROC-007]', () => {
  for (const status of ['active', 'inactive', 'failed', 'activating', 'deactivating']) {
    const units = readUnits.read(answer({ after: `Id=a.service\nActiveState=${status}\n` }), [])
    assert.equal(units.get('a.service')?.status, status)
  }
  for (const status of ['running', 'exited', 'restarting', 'paused', 'created', 'dead']) {
    const containers = readContainers.read(answer({ states: `orbit-process-1-a ${status}\n`, after: '' }), [])
    assert.equal(containers.get('orbit-process-1-a')?.status, status)
  }
})

test('the processor time of a container is counted over the time between two looks, and without such a time nothing is read, of units neither', () => {
  const fields = (nanoseconds: string) =>
    answer({
      nanoseconds,
      states: 'orbit-process-1-a running 2048\norbit-process-2-b running\n',
      before: 'orbit-process-1-a 1000\n',
      after: 'orbit-process-1-a 51000\norbit-process-2-b 70\n',
    })
  assert.deepEqual(
    [...readContainers.read(fields('100000000'), [])],
    [
      ['orbit-process-1-a', { status: 'running', cpu: 0.5, memoryBytes: 2048 }],
      ['orbit-process-2-b', { status: 'running', cpu: null, memoryBytes: null }],
    ],
  )
  for (const nanoseconds of ['', '0', '-5', 'N'])
    for (const read of [readContainers.read, readUnits.read])
      assert.throws(() => read(fields(nanoseconds), []), MalformedOutput, nanoseconds)
})
