import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from '@fleet/kernel'
import { ApiError } from '@fleet/sdk/core'
import { FakeClock } from '@fleet/testing'
import { fakeServer } from './fake-server.ts'
import type { GatewayLink } from './gateway-link.ts'
import { NodeWatch } from './watch-nodes.ts'

/** A viewer whose lists are answered when the test says so. */
function watching(join?: GatewayLink['join']) {
  const lists = {
    'node:list': Promise.withResolvers<unknown>(),
    'instance:list': Promise.withResolvers<unknown>(),
    'process:list': Promise.withResolvers<unknown>(),
  }
  const ask: GatewayLink['ask'] = (name) => lists[name as keyof typeof lists].promise // It asks for these alone.
  const server = fakeServer(ask, join)
  const watch = new NodeWatch(server.link, {
    clock: new FakeClock(),
    signal: new AbortController().signal,
    chance: (count) => new Uint8Array(count),
    changed: () => undefined,
  })
  return { lists, server, watch }
}

const gone = new ApiError({
  code: 'node.not_found',
  message: 'No Node has this id.',
  status: 404,
  details: undefined,
  retry: undefined,
  requestId: 'x',
  text: '',
})

test('what the feed publishes while lists are asked for prevails over their answers', async () => {
  const { lists, server, watch } = watching()
  const joining = watch.join()
  await nextTurn()
  const event = (type: string, id: number, data: object = {}) =>
    server.publish({ type, id, data: { id, ...data } })
  event('instance.deleted', 7)
  event('instance.created', 8, { status: 'active', name: 'new' })
  event('node.deleted', 1)
  event('node.created', 3, { name: 'web-3' })
  event('node.updated', 2, { name: 'renamed' })
  lists['node:list'].resolve([
    { id: 1, name: 'web-1' },
    { id: 2, name: 'web-2' },
  ])
  lists['instance:list'].resolve([{ id: 7, status: 'removing' }])
  using _connection = await joining
  event('process.deleted', 5)
  assert.deepEqual(watch.seen().processes, [])
  lists['process:list'].resolve([{ id: 5 }, { id: 6 }])
  await nextTurn()
  const { nodes, instances, unfinished, processes } = watch.seen()
  assert.deepEqual(
    nodes.map(({ record }) => record['name']),
    ['renamed', 'web-3'],
  )
  assert.deepEqual([...instances.keys()], [8])
  assert.deepEqual(unfinished, [])
  assert.deepEqual(processes, [{ id: 6 }])
  event('node.created', 4, { name: 'web-4' })
  event('node.deleted', 2)
  assert.deepEqual(
    watch.seen().nodes.map(({ record }) => record['name']),
    ['web-3', 'web-4'],
  )
})

test('a Node that the gateway refuses, having gone since it was listed, keeps nobody from the others', async () => {
  const joined: string[] = []
  const { lists, watch } = watching(async (_connection, channel) => {
    if (channel === 'presence-node.1') throw gone
    joined.push(channel)
    return new Map()
  })
  const joining = watch.join()
  lists['node:list'].resolve([
    { id: 1, name: 'web-1' },
    { id: 2, name: 'web-2' },
  ])
  lists['instance:list'].resolve([])
  using _connection = await joining
  assert.deepEqual(joined, ['private-fleet', 'presence-node.2'])
})

test('a gateway that cannot be reached keeps the viewer away, and so does a connection that ends during a list', async () => {
  const failing = watching(async (_connection, channel) => {
    if (channel !== 'private-fleet') throw new Error('no answer')
    return new Map()
  })
  failing.lists['node:list'].resolve([{ id: 1, name: 'web-1' }])
  failing.lists['instance:list'].resolve([])
  await assert.rejects(failing.watch.join(), /no answer/)
  const { server, watch } = watching()
  const joining = watch.join()
  await nextTurn()
  server.end('restarting')
  await assert.rejects(joining, { code: 'closed' })
})
