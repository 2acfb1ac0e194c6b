import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#/console/refusal.ts'
import { requireSameVersion } from './same-version.ts'

test('a gateway that has served changes its version by an upgrade alone', () => {
  const served = { current: 'v1', listens: true, isRestoring: false }
  assert.throws(() => requireSameVersion('v2', served), Refusal)
  requireSameVersion('v1', served)
})

test('an installation and a restoration that are not at their end may go on with another version', () => {
  requireSameVersion('v2', { current: undefined, listens: false, isRestoring: false })
  requireSameVersion('v2', { current: 'v1', listens: false, isRestoring: false })
  requireSameVersion('v2', { current: 'v1', listens: true, isRestoring: true })
})
