import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whileConnected } from './while-connected.ts'

test('a request that hangs ends with its connection', async () => {
  const { promise: closed, resolve: close } = Promise.withResolvers<{ code: undefined; reason: string }>()
  let signal: AbortSignal | undefined
  const waiting = whileConnected({ closed }, (ended) => {
    signal = ended
    return new Promise(() => undefined)
  })
  close({ code: undefined, reason: '' })
  await assert.rejects(waiting, { code: 'closed' })
  assert.equal(signal?.aborted, true)
})

test('a request that is answered, or fails, does so as without a connection', async () => {
  const closed = new Promise<never>(() => undefined)
  assert.equal(await whileConnected({ closed }, async () => 'answered'), 'answered')
  await assert.rejects(
    whileConnected({ closed }, () => Promise.reject(new Error('refused'))),
    /refused/,
  )
})
