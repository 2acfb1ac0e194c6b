import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'node:test'
import { secured } from './secure.ts'

/** The first message of TLS, as a server gets it that ends then; empty when none came. */
async function helloTo(host: string): Promise<string> {
  let hello = ''
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (bytes) => {
      hello = bytes.toString('latin1')
      socket.destroy()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // as: a TCP server has a port.
  const stream = connect(port, '127.0.0.1')
  await assert.rejects(secured(stream, { mode: 'prefer', host }))
  stream.destroy()
  await once(server.close(), 'close')
  return hello
}

test('a server is told the name by which it is reached, and no address of either kind', async () => {
  assert.ok((await helloTo('db.example')).includes('db.example'))
  for (const host of ['10.0.0.1', '::1', 'fd00::abcd', 'FE80::1', '::ffff:10.0.0.1', '']) {
    const hello = await helloTo(host)
    assert.equal(hello.charCodeAt(0), 22, `${host} got a handshake`)
    assert.ok(host === '' || !hello.includes(host), host)
  }
})
