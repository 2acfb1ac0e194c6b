import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { systemClock, systemIds } from '@fleet/kernel'
import { eventually, FakeClock, TEST_APP_KEY } from '@fleet/testing'
import { makeAnswers } from '#/answers.ts'
import { openStore } from '#/open.ts'
import { makePostgresBell } from './bell.ts'
import { openPostgres } from './open.ts'

// AuthenticationOk and ReadyForQuery of the protocol.
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

// CommandComplete of LISTEN and ReadyForQuery.
const LISTENING = Buffer.from('C\0\0\0\x0bLISTEN\0Z\0\0\0\x05I', 'latin1')

/** A server that lets everybody in, answers so many queries as if each were LISTEN, and is silent from then on. */
async function silentServer(context: TestContext, { answered = 0, hangsUp = true } = {}) {
  const connections: Socket[] = []
  let questions = 0
  const server = createServer({ allowHalfOpen: !hangsUp }, (socket) => {
    connections.push(socket)
    socket.on('error', () => undefined)
    let asked = 0
    socket.on('data', () => {
      questions += 1
      if (asked === 0) socket.write(WELCOME)
      else if (asked <= answered) socket.write(LISTENING)
      asked += 1
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    for (const socket of connections) socket.destroy()
    server.close()
  })
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return { url: `postgres://somebody@127.0.0.1:${address.port}/fleet`, connections, asked: () => questions }
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
  const answers = makeAnswers(db, 'postgres', clock)
  const [first, second] = [answers(), answers()]
  await eventually(() => connections.length === 1)
  clock.advance(5000)
  assert.deepEqual([await first, await second], [false, false])
})

for (const answered of [0, 1])
  test(`a bell is closed although its server ${answered === 0 ? 'never answered' : 'fell silent after its answer'} and does not hang up`, async (context) => {
    const { url, connections } = await silentServer(context, { answered: answered * 2, hangsUp: false })
    const bell = makePostgresBell(url, systemClock)
    let rung = 0
    bell.listen(() => (rung += 1))
    await eventually(() => connections.length === 1 && (answered === 0 || rung === 1))
    await bell.close()
  })

test('a store on a server that lets it in and then is silent is not opened: its first question has a limit', async (context) => {
  const { url, asked } = await silentServer(context)
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const options = { key: TEST_APP_KEY, clock: systemClock, ids: systemIds, gatewayId: 'a' }
  const opened = assert.rejects(openStore({ url, ...options }), /Query read timeout/)
  while (asked() < 2) await setImmediate()
  context.mock.timers.tick(30_000)
  await opened
})
