import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from '@fleet/kernel'
import { Outbox } from './outbox.ts'

test('who has something to write writes once per turn', async () => {
  const outbox = new Outbox()
  const written: string[] = []
  const sender = (name: string) => ({ flush: () => void written.push(name) })
  const [a, b] = [sender('a'), sender('b')]
  outbox.add(a)
  outbox.add(b)
  assert.deepEqual(written, [])
  await nextTurn()
  outbox.add(a)
  await nextTurn()
  assert.deepEqual(written, ['a', 'b', 'a'])
})
