import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, script } from '@fleet/shell'
import { eventually, FakeClock, startTestNode, type TestNode } from '@fleet/testing'
import { startNodeServer } from './server/node-server.ts'
import { generateSshKey } from './keys.ts'

const options = { timeoutMilliseconds: 3_600_000 }

test('a connection closes after 60 seconds without a command, not before [GW-047]', async () => {
  const clock = new FakeClock()
  await using node = await startTestNode({ clock })
  await node.pool.run(node.target, run('true'), options)
  clock.advance(59_000)
  await node.pool.run(node.target, run('true'), options)
  clock.advance(59_999)
  await node.pool.run(node.target, run('true'), options)
  assert.deepEqual([node.server.connections(), node.server.accepted()], [1, 1])
  clock.advance(60_000)
  await eventually(() => node.server.connections() === 0)
  await node.pool.run(node.target, run('true'), options)
  assert.equal(node.server.accepted(), 2)
})

test('a connection does not close under a long command [GW-047]', async () => {
  const clock = new FakeClock()
  await using node = await startTestNode({ clock })
  const long = node.pool.run(
    node.target,
    script('echo x >begun; while [ ! -e go ]; do sleep 0.02; done'),
    options,
  )
  await node.lineOf('begun')
  await node.pool.run(node.target, run('true'), options)
  clock.advance(300_000)
  await node.pool.run(node.target, run('touch', 'go'), options)
  assert.equal((await long).exitCode, 0)
  assert.equal(node.server.accepted(), 1)
})

test('a probe always opens a connection of its own, runs nothing and closes it [GW-047]', async () => {
  await using node = await startTestNode()
  await node.pool.run(node.target, run('true'), options)
  await node.pool.probe(node.target, 5000)
  assert.deepEqual([node.server.accepted(), node.server.commands()], [2, 1])
  await eventually(() => node.server.connections() === 1)
})

test('a forgotten Node loses its connection and what runs over it; the next command opens a new one', async () => {
  await using node = await startTestNode()
  const lost = node.pool.run(node.target, script('echo x >begun; sleep 300'), options)
  await node.lineOf('begun')
  node.pool.forget(node.target.nodeId)
  await assert.rejects(lost, { kind: 'connection_lost', sent: true })
  await node.pool.run(node.target, run('true'), options)
  assert.equal(node.server.accepted(), 2)
})

test('a Node whose address and key changed is reached there, and its old connection closes when it is idle [GW-047]', async () => {
  const clock = new FakeClock()
  await using node = await startTestNode({ clock })
  await node.pool.run(node.target, run('true'), options)
  await using moved = await startElsewhere(node)
  await node.pool.run(moved.target, run('true'), options)
  assert.deepEqual([moved.server.commands(), node.server.commands()], [1, 1])
  clock.advance(60_000)
  await eventually(() => node.server.connections() === 0)
})

test('what runs over one address of a Node goes on while another is used, until the Node is forgotten', async () => {
  await using node = await startTestNode()
  const long = node.pool.run(
    node.target,
    script('echo x >begun; while [ ! -e go ]; do sleep 0.02; done'),
    options,
  )
  await node.lineOf('begun')
  await using other = await startElsewhere(node)
  await node.pool.run(other.target, run('touch', 'go'), options)
  assert.equal((await long).exitCode, 0)
  const lost = [node.target, other.target].map((target) =>
    node.pool.run(target, script(`echo x >begun-${target.port}; sleep 300`), options),
  )
  const rejected = lost.map((one) => assert.rejects(one, { kind: 'connection_lost', sent: true }))
  for (const { port } of [node.target, other.target]) await node.lineOf(`begun-${port}`)
  node.pool.forget(node.target.nodeId)
  await Promise.all(rejected)
})

/** The same Node under another address and with another key. */
async function startElsewhere(node: TestNode) {
  const server = await startNodeServer({
    host: '127.0.0.1',
    port: 0,
    hostKey: generateSshKey().privateKey,
    authorizedKey: node.key.publicKey,
    home: node.home,
    user: 'orbit',
  })
  const target = { ...node.target, port: server.port, fingerprint: server.fingerprint }
  return { server, target, [Symbol.asyncDispose]: () => server.close() }
}
