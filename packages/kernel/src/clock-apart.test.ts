import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockAheadSeconds, clockApart } from '#/clock-apart.ts'

test('clocks that differ by more than what is tolerated are apart, by whole seconds', () => {
  const now = new Date('2026-01-02T03:04:05.400Z')
  const ahead = (date: string | undefined) => clockAheadSeconds(date, now, { toleratedSeconds: 60 })
  assert.equal(ahead('Fri, 02 Jan 2026 03:05:05 GMT'), undefined)
  assert.equal(ahead('Fri, 02 Jan 2026 03:05:07 GMT'), 62)
  assert.equal(ahead('Fri, 02 Jan 2026 03:03:05 GMT'), undefined)
  assert.equal(ahead('Fri, 02 Jan 2026 02:04:05 GMT'), -3600)
  assert.equal(ahead('soon'), undefined)
  assert.equal(ahead(undefined), undefined)
  assert.equal(clockApart(62), '62 s ahead of that of the gateway')
  assert.equal(clockApart(-3600), '3600 s behind that of the gateway')
})
