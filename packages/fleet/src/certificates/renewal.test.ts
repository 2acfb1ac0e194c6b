import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { fail } from '@fleet/contract'
import { SshFailure } from '@fleet/ssh'
import { addNode, fakeCall, FakeClock, nodeRecord, openTestStore } from '@fleet/testing'
import type { PublishedLeaf } from '#/certificates/certificates.ts'
import { type LeafPlacement, type RenewalDeps, renewalKinds } from '#/certificates/renewal.ts'
import { lockOf } from '#/locks/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'

const leafOf = (scope: string): PublishedLeaf => ({ scope, names: [`${scope}.example`], addresses: [] })

/** Leaves of two Nodes, of which those in `due` are to be renewed, and what was asked and published. */
async function startWorld(context: TestContext) {
  const store = await openTestStore()
  context.after(() => store[Symbol.asyncDispose]())
  const clock = new FakeClock()
  const nodes = new Map<number, NodeRecord>()
  for (const name of ['one', 'two']) {
    const node = nodeRecord({ ...(await addNode(store, { name })), activeRoles: [] })
    nodes.set(node.id, node)
  }
  const [one = assert.fail(), two = assert.fail()] = nodes.values()
  const placed = (node: NodeRecord, id: number): LeafPlacement => ({
    nodeId: node.id,
    lock: lockOf('route', id),
    leaf: leafOf(`route-${id}`),
  })
  const leaves = [placed(one, 1), placed(one, 2), placed(two, 3)]
  const due = new Set<string>()
  const silent = new Set<string>()
  const broken = new Set<string>()
  const root = { hasEnded: false }
  const published: string[] = []
  const loaded: string[] = []
  const answer: { ofPublishing: 'published' | 'unchanged' } = { ofPublishing: 'published' }
  const deps = {
    store,
    clock,
    nodes: {
      find: async (id: number) => nodes.get(id),
      sessions: { overTunnel: (_call: unknown, node: NodeRecord) => ({ node }) },
    },
    certificates: {
      requireSigning: () => {
        if (root.hasEnded) throw fail('ca.unavailable', { cause: new Error('it ended') })
      },
      isLeafDue: async ({ node }: { node: NodeRecord }, { scope }: PublishedLeaf) => {
        if (broken.has(scope)) throw fail('certificate.publication_failed')
        if (silent.has(node.name))
          throw fail('node.unreachable', { cause: new SshFailure('unreachable', false) })
        return due.has(scope)
      },
      publishLeaf: async ({ node }: { node: NodeRecord }, { scope, names }: PublishedLeaf) => {
        published.push(`${node.name} ${scope} ${names.join()}`)
        return answer.ofPublishing
      },
      loadWaiting: async ({ node }: { node: NodeRecord }, of: readonly PublishedLeaf[]) =>
        void loaded.push(`${node.name} ${of.map(({ scope }) => scope).join()}`),
    },
    sources: [{ leaves: async () => leaves.slice(0, 2) }, { leaves: async () => leaves.slice(2) }],
  } as unknown as RenewalDeps // A renewal uses no more of a session and of a Node than this.
  const [check = assert.fail(), renew = assert.fail(), load = assert.fail()] = renewalKinds(deps)
  const waiting = async () => {
    const rows = await store.db.selectFrom('work').select(['kind', 'payload']).orderBy('id').execute()
    return rows.map(({ kind, payload }) => [kind, JSON.parse(payload)])
  }
  return {
    store,
    clock,
    nodes,
    one,
    two,
    leaves,
    due,
    silent,
    broken,
    root,
    published,
    loaded,
    answer,
    check,
    renew,
    load,
    waiting,
  }
}

test('each leaf that is due is renewed by work of its own, and a Node that is silent or gone keeps no other from it [RTX-100]', async (context) => {
  const { check, due, silent, nodes, one, two, waiting, published } = await startWorld(context)
  const call = fakeCall()
  await check.run(call, null)
  assert.deepEqual([await waiting(), call.logged], [[], []])
  for (const scope of ['route-2', 'route-3']) due.add(scope)
  silent.add('one')
  await check.run(call, null)
  const two3 = ['certificate:renew', { node_id: two.id, scope: 'route-3' }]
  assert.deepEqual(await waiting(), [two3])
  assert.deepEqual(call.logged, ['a certificate on a Node could not be checked'])
  silent.clear()
  nodes.delete(two.id)
  await check.run(call, null)
  assert.deepEqual(await waiting(), [two3, ['certificate:renew', { node_id: one.id, scope: 'route-2' }]])
  assert.deepEqual(published, [])
})

test('a leaf that cannot be read keeps no other leaf of its Node from a renewal [RTX-100]', async (context) => {
  const { check, due, broken, one, waiting } = await startWorld(context)
  broken.add('route-1')
  due.add('route-2')
  const call = fakeCall()
  await check.run(call, null)
  assert.deepEqual(await waiting(), [['certificate:renew', { node_id: one.id, scope: 'route-2' }]])
  assert.deepEqual(call.logged, ['a certificate on a Node could not be checked'])
})

test('a renewal publishes the leaf as its source wants it by then, and nothing for one that was withdrawn or a Node that is gone [RTX-100]', async (context) => {
  const { store, renew, one, leaves, nodes, published } = await startWorld(context)
  const call = fakeCall()
  const run = () => renew.run(call, { node_id: one.id, scope: 'route-1' })
  await run()
  assert.deepEqual(published.splice(0), ['one route-1 route-1.example'])
  assert.deepEqual([call.notes.target, call.notes.properties], [one.id, { scope: 'route-1' }])
  const [first = assert.fail()] = leaves
  // What waits for the lock of whoever changes the leaf sees the change.
  const change = async (then: () => void): Promise<void> => {
    const held = await store.locks.acquire({
      name: first.lock.name,
      operation: 'route:update',
      requestId: '00000000-0000-4000-8000-000000000001',
      waitMilliseconds: 0,
      leaseSeconds: 60,
    })
    const renewed = run()
    await new Promise(setImmediate)
    then()
    await held[Symbol.asyncDispose]()
    await renewed
  }
  await change(() => leaves.splice(0, 1, { ...first, leaf: { ...first.leaf, names: ['new.example'] } }))
  assert.deepEqual(published.splice(0), ['one route-1 new.example'])
  await change(() => leaves.shift())
  leaves.unshift(first)
  await change(() => nodes.delete(one.id))
  await run()
  leaves.shift()
  await run()
  assert.deepEqual(published, [])
})

test('leaves of a Node that are renewed at one time are loaded together half a minute later, and those that nothing reads or that were good load nothing [RTX-100]', async (context) => {
  const { store, clock, renew, load, one, two, leaves, nodes, loaded, answer, waiting } =
    await startWorld(context)
  const call = fakeCall()
  const renewed = async (): Promise<void> => {
    for (const { nodeId, leaf } of leaves) await renew.run(call, { node_id: nodeId, scope: leaf.scope })
  }
  await renewed()
  assert.deepEqual(await waiting(), [])
  for (const [at, placement] of leaves.entries())
    leaves[at] = { ...placement, leaf: { ...placement.leaf, reload: 'caddy.service' } }
  answer.ofPublishing = 'unchanged'
  await renewed()
  assert.deepEqual(await waiting(), [])
  answer.ofPublishing = 'published'
  const due = new Date(clock.now().getTime() + 30_000).toISOString()
  await renewed()
  assert.deepEqual(await waiting(), [
    ['certificate:load', { node_id: one.id }],
    ['certificate:load', { node_id: two.id }],
  ])
  const rows = await store.db.selectFrom('work').select('due_at').execute()
  assert.deepEqual(new Set(rows.map(({ due_at }) => due_at)), new Set([due]))
  assert.deepEqual(loaded, [])
  await load.run(call, { node_id: one.id })
  assert.deepEqual([loaded, call.notes.target], [['one route-1,route-2'], one.id])
  nodes.delete(two.id)
  await load.run(call, { node_id: two.id })
  assert.equal(loaded.length, 1)
})

test('while the root cannot sign, a check asks no Node, renews nothing and says so once', async (context) => {
  const { check, due, root, waiting } = await startWorld(context)
  for (const scope of ['route-1', 'route-2', 'route-3']) due.add(scope)
  root.hasEnded = true
  const call = fakeCall()
  await check.run(call, null)
  assert.deepEqual(await waiting(), [])
  assert.equal(call.logged.length, 1)
  root.hasEnded = false
  await check.run(fakeCall(), null)
  assert.equal((await waiting()).length, 3)
})
