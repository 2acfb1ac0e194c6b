import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from '@fleet/kernel'
import { Outbox } from './outbox.ts'

test('who has something to write writes once per turn', async () => {
  const outbox = new Outbox()
  const written: string[] = []
  const sender = (name: string) => ({ flush: () => void written.push(name) })
  const [a, b] = [sender('a'), sender('b')]
  const [one, other] = [Buffer.from('1'), Buffer.from('2')]
  const begun = outbox.begin(a, one)
  assert.equal(outbox.begin(b, one), begun, 'both wait for the same')
  assert.deepEqual(written, [])
  await nextTurn()
  assert.equal(outbox.begin(a, other).whole(), other)
  await nextTurn()
  assert.deepEqual(written, ['a', 'b', 'a'])
})
