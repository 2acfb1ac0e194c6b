import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { test } from 'node:test'
import { eventually, FakeClock } from '@fleet/testing'
import packet, { type RecordType } from 'dns-packet'
import fc from 'fast-check'
import { frame } from './frames.ts'
import {
  addressesOf,
  echo,
  NEIGHBOUR,
  OPTION,
  outsideAnswer,
  overTcp,
  queryFor,
  questionOf,
  rcodeOf,
  startWorld,
} from './world.test.ts'

test('an owned name has an address and nothing else, and nobody outside is asked for the rest', async () => {
  await using world = await startWorld()
  const types = ['AAAA', 'MX', 'TXT', 'CNAME', 'HTTPS', 'NS'] as RecordType[] // HTTPS is missing in the library's types.
  for (const type of types) {
    const bytes = await world.send(queryFor('Gateway.fleet', type))
    const reply = packet.decode(bytes)
    const [authority] = reply.authorities ?? []
    assert.deepEqual([rcodeOf(bytes), reply.answers, reply.flag_aa], [0, [], true], type)
    assert.deepEqual([authority?.type, authority?.name], ['SOA', 'gateway.fleet'], type)
  }
  assert.deepEqual(world.forwarded, [])
})

test('a question is repeated letter by letter, whatever its case', async () => {
  await using world = await startWorld()
  const reply = await world.ask('GateWay.FLEET')
  assert.equal(questionOf(reply)?.name, 'GateWay.FLEET')
  assert.deepEqual(addressesOf(reply), ['10.44.0.1'])
})

test('a dot inside a label makes another name', async () => {
  await using world = await startWorld({ outside: echo })
  const label = Buffer.from('gateway.fleet')
  const header = queryFor('x', 'A', { additionals: [] }).subarray(0, 12)
  const message = Buffer.concat([header, Buffer.from([label.length]), label, Buffer.from([0, 0, 1, 0, 1])])
  const reply = await world.send(message)
  assert.deepEqual(reply.subarray(12), message.subarray(12))
  assert.equal(world.forwarded.length, 1)
})

test('EDNS is answered in kind, an unknown version with BADVERS', async () => {
  await using world = await startWorld()
  const [option] = (await world.ask('gateway.fleet')).additionals ?? []
  assert.deepEqual(option, OPTION)
  const plain = packet.decode(await world.send(queryFor('gateway.fleet', 'A', { additionals: [] })))
  assert.deepEqual([plain.additionals, addressesOf(plain)], [[], ['10.44.0.1']])
  const newer = queryFor('gateway.fleet', 'A', { additionals: [{ ...OPTION, ednsVersion: 1 }] })
  const refused = packet.decode(await world.send(newer))
  assert.deepEqual([refused.answers, refused.additionals], [[], [{ ...OPTION, extendedRcode: 1 }]])
})

test('an answer from outside passes unchanged but for its id', async () => {
  await using world = await startWorld({
    outside: (query, send) => send(outsideAnswer(query, { flags: packet.TRUNCATED_RESPONSE | 3 })),
  })
  const bytes = await world.send(queryFor('elsewhere.example', 'TXT'))
  const expected = outsideAnswer(
    { ...packet.decode(queryFor('elsewhere.example', 'TXT')), id: 4711 },
    { flags: packet.TRUNCATED_RESPONSE | 3 },
  )
  assert.deepEqual(bytes, expected)
  assert.deepEqual(world.forwarded[0]?.additionals, [{ ...OPTION, udpPayloadSize: 1400 }])
})

test('only the answer to the very question under its id counts', async () => {
  await using world = await startWorld({
    outside: (query, send) => {
      const { id = 0 } = query
      const other = [{ name: 'other.example', type: 'A' } as const]
      send(Buffer.from('short'))
      send(outsideAnswer(query, { id: (id + 1) % 65_536 }))
      send(outsideAnswer(query, { questions: other }))
      send(outsideAnswer(query, { questions: [] }))
      send(outsideAnswer(query, { type: 'query' }))
      send(outsideAnswer(query, { flags: 3, answers: [] }))
    },
  })
  const bytes = await world.send(queryFor('elsewhere.example'))
  assert.equal(rcodeOf(bytes), 3)
})

test('a server outside that is gone is reported as a failure, at once', async () => {
  await using world = await startWorld({ clock: new FakeClock() })
  world.closeOutside()
  const bytes = await world.send(queryFor('elsewhere.example'))
  assert.equal(rcodeOf(bytes), 2)
  assert.equal(questionOf(packet.decode(bytes))?.name, 'elsewhere.example')
})

test('a server outside that says nothing is reported as a failure after 5 s', async () => {
  const clock = new FakeClock()
  await using world = await startWorld({ clock, outside: () => undefined })
  const asked = world.send(queryFor('elsewhere.example'))
  await eventually(() => world.forwarded.length === 1)
  clock.advance(5000)
  assert.equal(rcodeOf(await asked), 2)
})

test('what is no single question is refused, and what is no query gets no answer', async () => {
  await using world = await startWorld()
  const questions = [
    { name: 'gateway.fleet', type: 'A' } as const,
    { name: 'shop.berlin', type: 'A' } as const,
  ]
  assert.equal(rcodeOf(await world.send(queryFor('x', 'A', { questions }))), 1)
  assert.equal(rcodeOf(await world.send(queryFor('x', 'A', { questions: [] }))), 1)
  assert.equal(rcodeOf(await world.send(queryFor('x', 'A', { flags: 5 << 11 }))), 4)
  assert.equal(rcodeOf(await world.send(queryFor('gateway.fleet').subarray(0, 14))), 1)
  const replies = await overTcp(world.port, [frame(queryFor('x', 'A', { type: 'response' }))], 1)
  assert.deepEqual(replies, [])
})

test('many questions on one connection are all answered, however they are cut', async () => {
  await using world = await startWorld()
  const names = ['gateway.fleet', 'elsewhere.example', 'a.berlin']
  const bytes = Buffer.concat(names.map((name, id) => frame(queryFor(name, 'A', { id }))))
  for (const pieces of [[bytes], Array.from(bytes, (byte) => Buffer.from([byte]))]) {
    const replies = (await overTcp(world.port, pieces, 3)).map((reply) => packet.decode(reply))
    const inOrder = replies.toSorted((a, b) => (a.id ?? 0) - (b.id ?? 0))
    assert.deepEqual(inOrder.map(addressesOf), [['10.44.0.1'], ['203.0.113.7'], ['192.168.7.4']])
  }
})

test('no message ends the process or keeps the next one from its answer', async () => {
  await using world = await startWorld({ outside: echo })
  const socket = createSocket('udp4')
  const garbage = fc.oneof(
    fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
    fc
      .tuple(fc.nat(80), fc.uint8Array({ minLength: 1, maxLength: 8 }), fc.nat(80))
      .map(([at, bytes, length]) => {
        const message = queryFor('gateway.fleet', 'AAAA')
        message.set(bytes.slice(0, Math.max(0, message.length - at)), Math.min(at, message.length))
        return message.subarray(0, length)
      }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(garbage, { minLength: 20, maxLength: 20 }), async (messages) => {
      for (const message of messages) socket.send(message, world.port, '127.0.0.1')
      assert.deepEqual(addressesOf(await world.ask('gateway.fleet')), ['10.44.0.1'])
    }),
    { numRuns: 100 },
  )
  socket.close()
})

test('a requester with too many questions waiting hears of a failure, others are asked for', async () => {
  const clock = new FakeClock()
  await using world = await startWorld({
    clock,
    outside: (query, send) => {
      if (questionOf(query)?.name === 'now.example') send(outsideAnswer(query))
    },
  })
  const socket = createSocket('udp4')
  const failed: number[] = []
  socket.on('message', (reply: Buffer) => failed.push(rcodeOf(reply)))
  socket.bind({ address: NEIGHBOUR, port: 0 })
  for (let id = 0; id < 510; id++) socket.send(queryFor('late.example', 'A', { id }), world.port, '127.0.0.1')
  await eventually(() => failed.length === 10)
  assert.deepEqual(new Set(failed), new Set([2]))
  assert.deepEqual(addressesOf(await world.ask('now.example')), ['203.0.113.7'])
  clock.advance(5000)
  socket.close()
})
