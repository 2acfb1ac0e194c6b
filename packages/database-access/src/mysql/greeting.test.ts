import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { Secret, systemClock, systemIds } from '@fleet/kernel'
import type { TlsRule } from '#/access.ts'
import { openDatabases } from '#/open.ts'

/** A server that greets in pieces, then keeps what it hears. */
function greeting(pieces: readonly Buffer[]) {
  const heard: Buffer[] = []
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      heard.push(chunk)
      done()
    },
  })
  for (const piece of pieces) setImmediate(() => stream.push(piece))
  setImmediate(() => setImmediate(() => stream.push(null)))
  return { stream, heard }
}

/** Protocol 10 as a server prints it that knows the flags (protocol, HandshakeV10). */
function hello(flags: number): Buffer {
  const payload = Buffer.concat([
    Buffer.from([10]),
    Buffer.from('8.4.0\0'),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from('saltsalt\0'),
    Buffer.from([flags & 0xff, flags >> 8, 255, 2, 0, 0, 0, 21]),
    Buffer.alloc(10),
    Buffer.from('salt of twelve b\0mysql_native_password\0').subarray(3),
  ])
  return Buffer.concat([Buffer.from([payload.length, 0, 0, 0]), payload])
}

const checked = async (pieces: readonly Buffer[], tls: TlsRule) => {
  const { stream, heard } = greeting(pieces)
  const target = {
    engine: 'mysql',
    open: async () => stream,
    tls,
    username: 'fleet',
    password: new Secret('x'),
    database: 'shop',
  } as const
  const failure: unknown = await openDatabases({ clock: systemClock, ids: systemIds })
    .check(target)
    .catch((error: unknown) => error)
  const { reason }: { reason?: unknown } = Object(Object(failure)['details'])
  return { reason, said: Buffer.concat(heard).length > 0, isGone: stream.destroyed }
}

const PROTOCOL_41 = 0x8200
const SSL = 0x0800

test('a server without TLS hears nothing where the connection asks for it, and the login where it does not', async () => {
  const whole = hello(PROTOCOL_41)
  for (const pieces of [[whole], [whole.subarray(0, 2), whole.subarray(2, 30), whole.subarray(30)]])
    for (const mode of ['require', 'verify-ca', 'verify-full'] as const)
      assert.deepEqual(await checked(pieces, { mode, host: 'db' }), {
        reason: 'tls',
        said: false,
        isGone: true,
      })
  for (const mode of ['disable', 'prefer'] as const)
    assert.deepEqual(await checked([whole], { mode, host: 'db' }), {
      reason: 'unreachable',
      said: true,
      isGone: true,
    })
})

test('a server that goes away while it greets, or while TLS begins, was not reached', async () => {
  const whole = hello(PROTOCOL_41 | SSL)
  const cut = await checked([whole.subarray(0, 20)], { mode: 'prefer', host: 'db' })
  assert.deepEqual(cut, { reason: 'unreachable', said: false, isGone: true })
  const later = await checked([whole], { mode: 'require', host: 'db' })
  assert.deepEqual(later, { reason: 'unreachable', said: true, isGone: true })
})
