import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterState } from '@fleet/contract'
import { addCluster, addNode, forEachDialect, startClustersFleet } from '@fleet/testing'
import type { MovingRoute, ScopeChange } from '#/clusters/ports.ts'
import { blockerOf, isCutover, reversed, scopeIn, touchedBy } from '#/clusters/rules.ts'

const scopes = [
  { state: 'active', tld: 'c', node: 'n', scope: { clusterId: 7, tld: 'c' } },
  { state: 'active', tld: 'c', node: null, scope: { clusterId: 7, tld: 'c' } },
  { state: 'active', tld: null, node: 'n', scope: { clusterId: 7, tld: 'n' } },
  { state: 'active', tld: null, node: null, scope: { clusterId: 7, tld: null } },
  { state: 'inactive', tld: 'c', node: 'n', scope: { clusterId: null, tld: 'n' } },
  { state: 'inactive', tld: 'c', node: null, scope: { clusterId: null, tld: null } },
] as const
for (const { state, tld, node, scope } of scopes) {
  test(`a Node with ${node} in an ${state} Cluster with ${tld} has the effective domain ${scope.tld}`, () => {
    assert.deepEqual(scopeIn({ tld: node }, { id: 7, state, tld }), scope)
    assert.deepEqual(scopeIn({ tld: node }, undefined), { clusterId: null, tld: node })
  })
}

forEachDialect('the stored scope of a Node follows the state of its Cluster', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { clusters } = fleet.clusters
  const { id } = await addCluster(fleet.store, { state: 'active', tld: 'c' })
  const node = await addNode(fleet.store, { tld: 'n', cluster_id: id })
  assert.deepEqual(await clusters.scopeOf(node), { clusterId: id, tld: 'c' })
  await fleet.store.db.updateTable('clusters').set({ state: 'inactive' }).execute()
  assert.deepEqual(await clusters.scopeOf(node), { clusterId: null, tld: 'n' })
  assert.deepEqual(await clusters.scopeOf({ ...node, cluster_id: null }), { clusterId: null, tld: 'n' })
})

test('a top-level domain takes effect with the state or with itself', () => {
  const at = (state: ClusterState, tld: string | null) => ({ id: 7, state, tld })
  assert.ok(isCutover(at('inactive', 'a'), at('active', 'a')))
  assert.ok(isCutover(at('active', null), at('active', 'a')))
  assert.ok(isCutover(at('active', 'b'), at('active', 'a')))
  for (const after of [at('active', 'a'), at('active', null), at('inactive', 'a'), at('inactive', 'b')])
    assert.ok(!isCutover(at('active', 'a'), after), JSON.stringify(after))
  assert.ok(!isCutover(at('inactive', null), at('active', null)))
})

test('a change back has its sides swapped', () => {
  const [before, after] = [
    { clusterId: null, tld: 'n' },
    { clusterId: 7, tld: 'c' },
  ]
  assert.deepEqual(reversed({ clusterId: 7, moves: [{ nodeId: 1, before, after }] }), {
    clusterId: 7,
    moves: [{ nodeId: 1, before: after, after: before }],
  })
})

test('only Routes that the change touches can hold it up', () => {
  const stuck: MovingRoute = {
    id: 5,
    domain: 'shop.example',
    nodeId: 1,
    isGenerated: false,
    isServedInPublic: true,
    isMovable: false,
  }
  const change = (clusterId: number | null, tld: string): ScopeChange => ({
    clusterId: 7,
    moves: [{ nodeId: 1, before: { clusterId: 7, tld: 'a' }, after: { clusterId, tld } }],
  })
  assert.equal(blockerOf([stuck], change(7, 'b'), true), undefined)
  assert.equal(blockerOf([{ ...stuck, nodeId: 2 }], change(null, 'a'), true), undefined)
  const blocker = { code: 'route.reconciliation_required', route: { id: 5, domain: 'shop.example' } }
  assert.deepEqual(blockerOf([stuck], change(null, 'a'), true), blocker)
  assert.deepEqual(blockerOf([{ ...stuck, isGenerated: true }], change(7, 'b'), true), blocker)
})

test('of the Routes of a moved Node those are published again whose scope or generated domain changes', () => {
  const route = (id: number, given: Partial<MovingRoute> = {}): MovingRoute => ({
    id,
    domain: `${id}.example`,
    nodeId: 1,
    isGenerated: false,
    isServedInPublic: false,
    isMovable: true,
    ...given,
  })
  const routes = [route(1), route(2, { isGenerated: true }), route(3, { isGenerated: true, nodeId: 2 })]
  const touched = (clusterId: number | null, tld: string) =>
    touchedBy(routes, {
      clusterId: 7,
      moves: [{ nodeId: 1, before: { clusterId: 7, tld: 'a' }, after: { clusterId, tld } }],
    })
  assert.deepEqual([touched(7, 'a'), touched(7, 'b'), touched(null, 'a')], [[], [2], [1, 2]])
})
