import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'node:test'
import { frame } from './frames.ts'
import { InHand } from './in-hand.ts'
import { answerTcp } from './tcp-front.ts'

test('of the questions that come in one piece 64 are in hand at a time, and each gets its answer', async (context) => {
  const waiting: Array<() => void> = []
  let most = 0
  const respond = (message: Buffer): Promise<Buffer> =>
    new Promise((resolve) => {
      waiting.push(() => resolve(message))
      most = Math.max(most, waiting.length)
    })
  const server = createServer()
  const end = answerTcp(server, { respond, forward: () => assert.fail(), inHand: new InHand() })
  context.after(end)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // A listening TCP server has one.
  const asker = connect(port, '127.0.0.1')
  const questions = Array.from({ length: 500 }, (_, at) => frame(Buffer.from([at >> 8, at & 255])))
  asker.write(Buffer.concat(questions))
  let answered = 0
  for await (const chunk of timed(asker, () => waiting.shift()?.())) {
    answered += chunk.length
    if (answered === 500 * 4) break
  }
  assert.deepEqual([most, answered], [64, 500 * 4])
})

/** What arrives, while one question after the other gets its answer. */
async function* timed(asker: AsyncIterable<Buffer>, answerOne: () => void): AsyncGenerator<Buffer> {
  const timer = setInterval(answerOne, 1)
  try {
    yield* asker
  } finally {
    clearInterval(timer)
  }
}
