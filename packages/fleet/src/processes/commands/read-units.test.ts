import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Answer } from '@fleet/shell'
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
