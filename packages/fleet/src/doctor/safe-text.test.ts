import assert from 'node:assert/strict'
import { test } from 'node:test'
import { safeText } from '#/doctor/safe-text.ts'

test('words, numbers, addresses and ports pass as they are', () => {
  for (const text of [
    '',
    'active',
    '3 missing',
    '10.44.0.0/16',
    '443/tcp',
    '2.9.1',
    '93%',
    'caddy, php8.2-fpm',
    'fd00::1',
    'a'.repeat(160),
  ])
    assert.equal(safeText(text), text)
  assert.equal(safeText(null), null)
})

test('what could be a path, a URL, a branch or raw output never passes [DRF-014]', () => {
  for (const text of [
    '/etc/fleet/agent/secret',
    'see /etc',
    'https://example.com',
    'feature/login',
    'one\ntwo',
    '{"password": "x"}',
    'a'.repeat(161),
    'user@host',
    '1//etc',
  ])
    assert.equal(safeText(text), 'withheld')
})
