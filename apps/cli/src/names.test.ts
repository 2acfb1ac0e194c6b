import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@fleet/sdk/core'
import { resolveNames } from './names.ts'
import { readTree } from './tree.ts'

const NIGHTLY = '1e3fa610-642a-4080-acdc-7392910dff21'

const records: Readonly<Record<string, unknown>> = {
  'node:list': [
    { id: 2, name: 'node-1' },
    { id: 3, name: 'node-2' },
    { id: 4, name: 'node-3' },
  ],
  'cluster:list': [{ id: 4, name: 'berlin' }],
  'project:list': [{ id: 5, slug: 'shop' }],
  'instance:list': [
    { id: 7, name: 'default', project: { slug: 'shop' } },
    { id: 8, name: 'default', project: { slug: 'blog' } },
    { id: 9, name: 'feature', project: { slug: 'blog' } },
  ],
  'process:list': [
    { id: 21, name: 'worker', target_type: 'node', target_id: 2 },
    { id: 22, name: 'queue', target_type: 'instance', target_id: 7 },
    { id: 23, name: 'queue', target_type: 'instance', target_id: 9 },
  ],
  'tool:list 2': [
    { id: 31, node_id: 2, manager: 'vp', package: 'eslint' },
    { id: 32, node_id: 2, manager: 'composer', package: 'laravel/pint' },
  ],
  'tool:list 3': [{ id: 33, node_id: 3, manager: 'vp', package: 'eslint' }],
  'schedule:list': [{ id: NIGHTLY, name: 'nightly', target_type: 'node', target_id: 3 }],
}

const unknownNode = new ApiError({
  code: 'node.not_found',
  message: 'No Node has this id.',
  status: 404,
  details: undefined,
  requestId: '',
  retry: 'change',
  text: '',
})

const forbidden = new ApiError({
  code: 'caller.forbidden',
  message: 'The caller may not do this.',
  status: 403,
  details: undefined,
  requestId: '',
  retry: 'none',
  text: '',
})

async function resolved(
  command: string,
  members: Record<string, unknown>,
): Promise<{ members: unknown; asked: readonly string[] }> {
  const spec = readTree().commands[command]
  assert.ok(spec)
  const asked: string[] = []
  await resolveNames(
    members,
    [...spec.arguments, ...spec.options],
    (name, { node_id: node }) => {
      const list = node === undefined ? name : `${name} ${String(node)}`
      asked.push(list)
      if (list === 'tool:list 4') return Promise.reject(forbidden)
      return Promise.resolve(records[list])
    },
    async (name, wanted) => {
      asked.push(`${name} ${Object.entries(wanted).join()}`)
      if (wanted['name'] === 'web-1') return { id: 11, name: 'web-1' }
      if (wanted['domain'] === 'other.shop.test') return { domain: 'other.shop.test', instance_id: 12 }
      throw unknownNode
    },
  )
  return { members, asked }
}

test('names become ids, each list asked for once', async () => {
  const both = await resolved('instance:create', { project_id: 'shop', node_id: 'node-2', name: 'x' })
  assert.deepEqual(both, {
    members: { project_id: 5, node_id: 3, name: 'x' },
    asked: ['project:list', 'node:list'],
  })
  const twice = await resolved('node:access:add', { serving: 'node-1', consumer: 'node-2' })
  assert.deepEqual(twice, { members: { serving: 2, consumer: 3 }, asked: ['node:list'] })
})

test('a Cluster is named beside the Node that joins it', async () => {
  assert.deepEqual(await resolved('cluster:node:attach', { cluster: 'berlin', node: 'node-2' }), {
    members: { cluster: 4, node: 3 },
    asked: ['cluster:list', 'node:list'],
  })
})

test('an id is sent as it is, and nothing is asked', async () => {
  assert.deepEqual(await resolved('node:show', { node: 2 }), { members: { node: 2 }, asked: [] })
})

test('a Node that is in no list but may be given is found by the gateway', async () => {
  assert.deepEqual(await resolved('node:access:add', { serving: 'web-1', consumer: 'node-1' }), {
    members: { serving: 11, consumer: 2 },
    asked: ['node:list', 'node:resolve name,web-1'],
  })
})

test('an Instance is named by Project and name, or by a name that is alone', async () => {
  assert.deepEqual((await resolved('instance:show', { instance: 'blog/default' })).members, { instance: 8 })
  assert.deepEqual((await resolved('instance:show', { instance: 'feature' })).members, { instance: 9 })
  await assert.rejects(
    resolved('instance:show', { instance: 'default' }),
    /default is ambiguous: shop\/default \(7\), blog\/default \(8\)/,
  )
})

test('a domain that the list does not show is asked for, and its Instance is taken', async () => {
  assert.deepEqual(await resolved('instance:show', { instance: 'other.shop.test' }), {
    members: { instance: 12 },
    asked: ['instance:list', 'instance:resolve domain,other.shop.test'],
  })
})

test('an environment command takes a Project with a name', async () => {
  assert.deepEqual((await resolved('env:sync', { instance: 'shop/default' })).members, { instance: 7 })
})

test('the owner of a Process or a Schedule is named by the type that is given with it', async () => {
  const given = { name: 'x', target_type: 'instance', target_id: 'blog/default' }
  assert.deepEqual(await resolved('process:create', given), {
    members: { name: 'x', target_type: 'instance', target_id: 8 },
    asked: ['instance:list'],
  })
  const node = { target_type: 'node', target_id: 'node-2' }
  assert.deepEqual(await resolved('schedule:create', node), {
    members: { target_type: 'node', target_id: 3 },
    asked: ['node:list'],
  })
})

test('a Process or a Schedule is named by its owner and its name, or by a name that is alone', async () => {
  assert.deepEqual((await resolved('process:start', { process: 'worker' })).members, { process: 21 })
  assert.deepEqual((await resolved('process:logs', { process: 'node-1/worker' })).members, { process: 21 })
  assert.deepEqual((await resolved('process:stop', { process: 'blog/feature/queue' })).members, {
    process: 23,
  })
  assert.deepEqual((await resolved('route:create', { process_id: 'worker' })).members, { process_id: 21 })
  await assert.rejects(
    resolved('process:start', { process: 'queue' }),
    /queue is ambiguous: shop\/default\/queue \(22\), blog\/feature\/queue \(23\)/,
  )
  assert.deepEqual((await resolved('schedule:run', { schedule: 'nightly' })).members, { schedule: NIGHTLY })
  assert.deepEqual((await resolved('schedule:show', { schedule: 'node-2/nightly' })).members, {
    schedule: NIGHTLY,
  })
  assert.deepEqual(await resolved('schedule:show', { schedule: NIGHTLY }), {
    members: { schedule: NIGHTLY },
    asked: [],
  })
})

test('a Tool is named by its Node, manager and package, or by a package that is alone', async () => {
  assert.deepEqual(await resolved('tool:update', { tool: 'node-1/vp/eslint' }), {
    members: { tool: 31 },
    asked: ['node:list', 'tool:list 2'],
  })
  assert.deepEqual((await resolved('tool:show', { tool: 'node-2/eslint' })).members, { tool: 33 })
  // The Tools of a Node that the caller may not ask are none.
  assert.deepEqual(await resolved('tool:remove', { tool: 'laravel/pint' }), {
    members: { tool: 32 },
    asked: ['node:list', 'tool:list 2', 'tool:list 3', 'tool:list 4'],
  })
  await assert.rejects(
    resolved('tool:show', { tool: 'eslint' }),
    /eslint is ambiguous: node-1\/vp\/eslint \(31\), node-2\/vp\/eslint \(33\)/,
  )
  await assert.rejects(resolved('tool:show', { tool: 'node-3/vp/eslint' }), forbidden)
  await assert.rejects(resolved('tool:show', { tool: 'node-1/vp/other' }), /no Tool named node-1\/vp\/other/)
})

test('an unknown name is answered with its neighbour', async () => {
  const error: unknown = await resolved('node:show', { node: 'nod-1' }).catch((caught: unknown) => caught)
  assert.ok(error instanceof Error && 'next' in error)
  assert.equal(error.message, 'There is no Node named nod-1 that you can access.')
  assert.equal(error.next, 'Did you mean node-1?')
})

test('an empty text names no record, whether the member takes an id or a domain too', async () => {
  for (const [command, member, message] of [
    ['node:show', 'node', 'The Node is an empty text.'],
    ['instance:deploy', 'instance', 'The Instance is an empty text.'],
    ['env:sync', 'instance', 'The Instance is an empty text.'],
  ] as const)
    for (const text of ['', '  '])
      await assert.rejects(resolved(command, { [member]: text }), { code: 'usage', message })
})
