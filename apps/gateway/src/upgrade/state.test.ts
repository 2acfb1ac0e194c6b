import assert from 'node:assert/strict'
import { mkdtempDisposableSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  endUpgrade,
  findFailure,
  findOutcome,
  findUpgrade,
  noteFailure,
  saveUpgrade,
  type UpgradeState,
  upgradeText,
} from './state.ts'

const STATE: UpgradeState = {
  id: '00000000-0000-4000-8000-000000000001',
  from: 'v1',
  to: 'v2',
  started_at: '2026-01-02T03:04:05.000Z',
  phase: 'forward',
  step: 'smoke',
  snapshot: null,
  reason: null,
}

test('an upgrade is in progress until it ended, and from then on it is the last one', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'fleet-upgrade-'))
  const files = {
    state: join(folder.path, 'a'),
    outcome: join(folder.path, 'b'),
    hold: join(folder.path, 'c'),
    failure: join(folder.path, 'd'),
  }
  assert.deepEqual([findUpgrade(files), findOutcome(files)], [undefined, undefined])
  saveUpgrade(STATE, files)
  assert.deepEqual([findUpgrade(files), findOutcome(files)], [STATE, undefined])
  assert.equal(statSync(files.state).mode & 0o777, 0o644)
  const failure = { id: STATE.id, step: 'smoke', message: 'no answer' }
  assert.equal(findFailure(STATE, files), undefined)
  noteFailure(failure, files)
  assert.deepEqual(findFailure(STATE, files), failure)
  assert.equal(findFailure({ ...STATE, step: 'tick' }, files), undefined)
  assert.equal(findFailure({ ...STATE, id: '00000000-0000-4000-8000-000000000002' }, files), undefined)
  const ended: UpgradeState = { ...STATE, phase: 'last', step: 'tell' }
  for (const _ of ['at first', 'again, by who resumes it']) endUpgrade(ended, files)
  assert.deepEqual([findUpgrade(files), findOutcome(files)], [undefined, ended])
  assert.deepEqual(readdirSync(folder.path), ['b'])
})

test('the status names the upgrade in progress, or the last one and why it was rolled back', () => {
  const reason = { step: 'smoke', message: 'It returned 500.' }
  assert.deepEqual(
    [
      upgradeText(undefined, false, undefined),
      upgradeText(undefined, false, STATE),
      upgradeText(undefined, false, { ...STATE, phase: 'back', reason }),
      upgradeText(STATE, true, { ...STATE, to: 'v1' }),
      upgradeText(STATE, false, undefined),
      upgradeText(STATE, true, undefined, { id: STATE.id, step: 'smoke', message: 'no answer' }),
    ],
    [
      'none yet',
      'v1 to v2, 2026-01-02T03:04:05.000Z',
      'v2 failed at smoke and was rolled back to v1: It returned 500.',
      'An upgrade to v2 is in progress, at smoke.',
      'An upgrade to v2 was interrupted at smoke; `fleet-gateway upgrade` resumes it.',
      'An upgrade to v2 is in progress, at smoke. That failed the last time: no answer (journalctl -u fleet-gateway-upgrade.service)',
    ],
  )
})
