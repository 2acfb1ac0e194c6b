import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Exchange, ServerError } from './exchange.ts'

test('an error of the stream is none of the server, although it has a code', async () => {
  const ended = (facts: object): Promise<unknown> => {
    const exchange = new Exchange({ send: () => undefined })
    exchange.handleError(Object.assign(new Error('given'), facts))
    return exchange.done.catch((error: unknown) => error)
  }
  for (const code of ['ECONNRESET', 'EPIPE'])
    assert.ok(!((await ended({ code })) instanceof ServerError), code)
  const answered = await ended({ code: '42P01', severity: 'ERROR' })
  assert.ok(answered instanceof ServerError)
  assert.equal(answered.sqlState, '42P01')
})
