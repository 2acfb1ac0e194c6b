import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { eventually, FakeClock } from '@fleet/testing'
import { makeAnswers } from '#/answers.ts'
import { openPostgres } from './open.ts'

// AuthenticationOk and ReadyForQuery of the protocol.
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

/** A server that lets everybody in and never answers a query. */
async function silentServer(context: TestContext) {
  const connections: Socket[] = []
  const server = createServer((socket) => {
    connections.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(WELCOME)
      socket.resume()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    for (const socket of connections) socket.destroy()
    server.close()
  })
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return { url: `postgres://somebody@127.0.0.1:${address.port}/fleet`, connections }
}

test('a query that PostgreSQL does not answer ends at its limit, and its connection is not used again', async (context) => {
  const { url, connections } = await silentServer(context)
  await using db = openPostgres(url, [], () => 50)
  const ask = () => db.selectFrom('facts').select('name').execute()
  await assert.rejects(ask(), /timeout/)
  await eventually(() => connections[0]?.closed === true)
  await assert.rejects(ask(), /timeout/)
  assert.equal(connections.length, 2)
})

test('a transaction ends at the limit of the query that was not answered', async (context) => {
  const { url, connections } = await silentServer(context)
  await using db = openPostgres(url, [], () => 50)
  const work = db.transaction().execute((tx) => tx.selectFrom('facts').select('name').execute())
  await assert.rejects(work, /timeout/)
  await eventually(() => connections[0]?.closed === true)
})

test('a database that says nothing for five seconds does not answer, and is asked once by all who wait', async (context) => {
  const { url, connections } = await silentServer(context)
  await using db = openPostgres(url, [], () => 200)
  const clock = new FakeClock()
  const answers = makeAnswers(db, clock)
  const [first, second] = [answers(), answers()]
  await eventually(() => connections.length === 1)
  clock.advance(5000)
  assert.deepEqual([await first, await second], [false, false])
})
