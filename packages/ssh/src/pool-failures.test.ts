import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { run, script } from '@fleet/shell'
import { eventually, FakeClock, isRunning, startTestNode } from '@fleet/testing'
import { generateSshKey } from './keys.ts'
import { createSshPool } from './pool.ts'

const options = { timeoutMilliseconds: 30_000 }

/** Leaves a grandchild behind that outlives its parents unless the whole group is ended. */
const family = script('sh -c "sleep 300 & echo \\$! >grandchild; wait"; true')

test('a cancelled command takes its whole process group with it, and the connection stays', async () => {
  await using node = await startTestNode()
  const control = new AbortController()
  const cancelled = node.pool.run(node.target, family, { ...options, signal: control.signal })
  const grandchild = Number(await node.lineOf('grandchild'))
  assert.ok(isRunning(grandchild))
  control.abort()
  await assert.rejects(cancelled, { kind: 'cancelled', sent: true })
  assert.equal(isRunning(grandchild), false)
  await node.pool.run(node.target, run('true'), options)
  assert.equal(node.server.accepted(), 1)
})

test('a command that ignores TERM is killed', async () => {
  await using node = await startTestNode()
  const control = new AbortController()
  const stubborn = script('trap "" TERM; echo $$ >pid; while :; do sleep 1; done')
  const cancelled = node.pool.run(node.target, stubborn, { ...options, signal: control.signal })
  const pid = Number(await node.lineOf('pid'))
  control.abort()
  await assert.rejects(cancelled, { kind: 'cancelled', sent: true })
  assert.equal(isRunning(pid), false)
})

test('a command that outlasts its time is ended with its process group [LIM-032]', async () => {
  const clock = new FakeClock()
  await using node = await startTestNode({ clock })
  const late = node.pool.run(node.target, family, { timeoutMilliseconds: 900_000 })
  const grandchild = Number(await node.lineOf('grandchild'))
  clock.advance(899_999)
  assert.ok(isRunning(grandchild))
  clock.advance(1)
  await assert.rejects(late, { kind: 'timeout', sent: true })
  assert.equal(isRunning(grandchild), false)
})

test('a host with another key than the pinned one gets no command', async () => {
  await using node = await startTestNode()
  const pinned = { ...node.target, fingerprint: generateSshKey().fingerprint }
  await assert.rejects(node.pool.run(pinned, run('true'), options), { kind: 'host_key_changed', sent: false })
  await assert.rejects(node.pool.probe(pinned, 5000), { kind: 'host_key_changed', sent: false })
  assert.equal(node.server.commands(), 0)
})

test('a key that the host does not know is refused', async () => {
  await using node = await startTestNode({ privateKey: generateSshKey().privateKey })
  await assert.rejects(node.pool.run(node.target, run('true'), options), {
    kind: 'authentication',
    sent: false,
  })
})

test('a port where nobody listens is unreachable because it refused, another silence is not', async () => {
  await using node = await startTestNode()
  await node.server.close()
  await assert.rejects(node.pool.run(node.target, run('true'), options), {
    kind: 'unreachable',
    sent: false,
    isRefused: true,
  })
})

test('a host that never speaks is unreachable after the connect time, and delays no other Node', async () => {
  const clock = new FakeClock()
  await using node = await startTestNode({ clock })
  await using silent = await silentHost()
  const never = node.pool.run({ ...node.target, nodeId: 2, port: silent.port }, run('true'), options)
  await eventually(() => silent.connections() === 1)
  assert.equal((await node.pool.run(node.target, run('true'), options)).exitCode, 0)
  clock.advance(10_000)
  await assert.rejects(never, { kind: 'unreachable', sent: false, isRefused: false })
})

test('concurrent first callers share one attempt, and one that gives up does not end it for the other', async () => {
  await using node = await startTestNode()
  const control = new AbortController()
  const impatient = node.pool.run(node.target, run('true'), { ...options, signal: control.signal })
  const patient = node.pool.run(node.target, run('true'), options)
  control.abort()
  await assert.rejects(impatient, { kind: 'cancelled', sent: false })
  assert.equal((await patient).exitCode, 0)
  assert.equal(node.server.accepted(), 1)
})

test('a connection cut in the middle of a command is distinguished from a failed command, and the next one reconnects', async () => {
  await using node = await startTestNode()
  const cut = node.pool.run(node.target, family, options)
  await node.lineOf('grandchild')
  node.server.cutConnections()
  await assert.rejects(cut, { kind: 'connection_lost', sent: true })
  assert.equal((await node.pool.run(node.target, run('false'), options)).exitCode, 1)
  assert.equal(node.server.accepted(), 2)
})

test('a connection that died while idle costs the next command nothing but a new one', async () => {
  await using node = await startTestNode()
  await node.pool.run(node.target, run('true'), options)
  node.server.cutConnections()
  // At once: the pool does not know yet that its connection is gone.
  assert.equal((await node.pool.run(node.target, run('true'), options)).exitCode, 0)
  assert.deepEqual([node.server.accepted(), node.server.commands()], [2, 2])
})

test('a peer that falls silent is given up by keepalive, and the command counts as lost', async () => {
  await using node = await startTestNode()
  await using relay = await silenceable(node.server.port)
  const keepalive = { keepaliveSeconds: 0.05, keepaliveCount: 2 }
  await using pool = createSshPool({ privateKey: node.key.privateKey, clock: systemClock, ...keepalive })
  const lost = pool.run({ ...node.target, port: relay.port }, family, options)
  await node.lineOf('grandchild')
  relay.silence()
  await assert.rejects(lost, { kind: 'connection_lost', sent: true })
})

test('a peer that never hangs up keeps no socket of ours', async () => {
  await using node = await startTestNode()
  await using relay = await neverHangsUp(node.target.port)
  const pool = createSshPool({ privateKey: node.key.privateKey, clock: systemClock })
  await pool.run({ ...node.target, port: relay.port }, run('true'), options)
  await pool[Symbol.asyncDispose]()
  // The kernel refuses for a socket that is gone; one that is half open would take it.
  await eventually(() => relay.isRefused())
})

/** Passes bytes on to a port, and never closes its end of a connection, as a machine that died. */
const neverHangsUp = async (
  port: number,
): Promise<AsyncDisposable & { port: number; isRefused: () => boolean }> => {
  const sockets: Socket[] = []
  let refused = false
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(port, '127.0.0.1')
    sockets.push(near, far)
    near.on('error', () => (refused = true)).on('data', (chunk) => far.write(chunk))
    far.on('error', () => undefined).on('data', (chunk) => near.write(chunk))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port, // A listening TCP server has an address object.
    isRefused: () => {
      if (!refused) sockets[0]?.write('.')
      return refused
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Takes connections and says nothing. */
const silentHost = async (): Promise<AsyncDisposable & { port: number; connections: () => number }> => {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port, // A listening TCP server has an address object.
    connections: () => sockets.length,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Forwards bytes to a port until it is set to drop them, as a network without a route does. */
const silenceable = async (
  port: number,
): Promise<AsyncDisposable & { port: number; silence: () => void }> => {
  let silent = false
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('data', (chunk) => silent || to.write(chunk))
    }
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port, // A listening TCP server has an address object.
    silence: () => void (silent = true),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
