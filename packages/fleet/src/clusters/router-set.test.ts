import assert from 'node:assert/strict'
import { fail } from '@fleet/contract'
import {
  addCluster,
  addNode,
  addRole,
  type ClustersFleet,
  fakeCall,
  forEachDialect,
  startClustersFleet,
  testDomains,
} from '@fleet/testing'

const set = (fleet: ClustersFleet, cluster: number, node: number) =>
  fleet.clusters.handlers['cluster:router:set']({ call: fakeCall(), input: { cluster, node } })

const routers = ({ store }: ClustersFleet) =>
  store.db
    .selectFrom('node_roles')
    .select(['node_id', 'status', 'failed_step', 'error_code'])
    .where('role', '=', 'router')
    .orderBy('node_id')
    .execute()

const role = (node_id: number, status: string) => ({ node_id, status, failed_step: null, error_code: null })

/** A Cluster of three Nodes without a Router. */
async function standing(fleet: ClustersFleet) {
  const [a, b, c] = [await addNode(fleet.store), await addNode(fleet.store), await addNode(fleet.store)]
  const { id } = await addCluster(fleet.store, {}, [a, b, c])
  return { id, a, b, c }
}

forEachDialect('a member becomes the Router once it serves [CLU-009, ROLE-009]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { id, a } = await standing(fleet)
  const seen: unknown[] = []
  fleet.services.onCall = async (deed) => void seen.push(deed, await routers(fleet))
  const { data } = await set(fleet, id, a.id)
  assert.equal(data.router?.id, a.id)
  assert.deepEqual(seen, ['capable', [], 'converge', [role(a.id, 'provisioning')]])
  assert.deepEqual(await routers(fleet), [role(a.id, 'active')])
})

forEachDialect(
  'what is the Router already gets back what its machine lacks, stays the Router meanwhile and if that fails, and keeps no other from being withdrawn [CLU-009, ROLE-009]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const { id, a, b } = await standing(fleet)
    const { data } = await set(fleet, id, a.id)
    await addRole(fleet.store, { node_id: b.id, role: 'router', status: 'removing' })
    const seen: unknown[] = []
    fleet.services.onCall = async (deed) => {
      seen.push(deed, await routers(fleet))
      if (deed === 'converge') throw fail('node.unreachable')
    }
    await assert.rejects(set(fleet, id, a.id), { code: 'node.unreachable' })
    const both = [role(a.id, 'active'), role(b.id, 'removing')]
    const alone = [role(a.id, 'active')]
    assert.deepEqual(seen, ['capable', both, 'withdraw', both, 'capable', alone, 'converge', alone])
    fleet.services.onCall = async (deed) => void seen.push(deed)
    seen.length = 0
    assert.deepEqual((await set(fleet, id, a.id)).data, data)
    assert.deepEqual([seen, await routers(fleet)], [['capable', 'converge'], alone])
  },
)

forEachDialect(
  'an earlier Router serves until its successor is ready [CLU-022, CLU-026]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const { id, a, b } = await standing(fleet)
    await set(fleet, id, a.id)
    const seen: unknown[] = []
    const call = fakeCall()
    fleet.routes.followed.length = 0
    fleet.services.onCall = async (deed) => void seen.push(deed, await routers(fleet))
    const replaced = fleet.clusters.handlers['cluster:router:set']({
      call,
      input: { cluster: id, node: b.id },
    })
    assert.equal((await replaced).data.router?.id, b.id)
    assert.deepEqual(
      call.steps.filter((step) => step.endsWith('done')),
      [
        'capable',
        'converge',
        'switch',
        'private-dns',
        'ingress',
        `capable:${a.name}`,
        `withdraw:${a.name}`,
      ].map((step) => `${step} done`),
    )
    assert.deepEqual(fleet.routes.followed, [id], 'the ingress, before the earlier Router stops')
    assert.deepEqual(seen, [
      'capable',
      [role(a.id, 'active')],
      'converge',
      [role(a.id, 'active'), role(b.id, 'provisioning')],
      'capable',
      [role(a.id, 'removing'), role(b.id, 'active')],
      'withdraw',
      [role(a.id, 'removing'), role(b.id, 'active')],
    ])
    assert.deepEqual(await routers(fleet), [role(b.id, 'active')])
  },
)

forEachDialect(
  'a candidate that fails keeps the step on its role and the Router in place; the same request tries again [CLU-022, CLU-027]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const { id, a, b, c } = await standing(fleet)
    await set(fleet, id, a.id)
    fleet.services.onCall = async (deed) => {
      if (deed === 'converge') throw fail('node.unreachable', { details: { step: 'firewall' } })
    }
    await assert.rejects(set(fleet, id, b.id), { code: 'node.unreachable' })
    const failed = { failed_step: 'converge:firewall', error_code: 'node.unreachable' }
    const rows = [role(a.id, 'active'), { ...role(b.id, 'failed'), ...failed }]
    assert.deepEqual(await routers(fleet), rows)
    fleet.services.onCall = async (deed) => {
      if (deed === 'converge') throw new Error('a fault')
    }
    await assert.rejects(set(fleet, id, c.id), { message: 'a fault' })
    assert.deepEqual((await routers(fleet)).at(-1), {
      ...role(c.id, 'failed'),
      failed_step: 'converge:services',
      error_code: 'http.500',
    })
    fleet.services.onCall = async () => undefined
    assert.equal((await set(fleet, id, b.id)).data.router?.id, b.id)
    assert.deepEqual(await routers(fleet), [role(b.id, 'active')])
  },
)

forEachDialect('a withdrawal that fails is finished by the same request', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { id, a, b } = await standing(fleet)
  await set(fleet, id, a.id)
  fleet.services.onCall = async (deed) => {
    if (deed === 'withdraw') throw fail('node.unreachable', { details: { step: 'certificates' } })
  }
  await assert.rejects(set(fleet, id, b.id), { code: 'node.unreachable' })
  const failed = { failed_step: 'remove:certificates', error_code: 'node.unreachable' }
  assert.deepEqual(await routers(fleet), [{ ...role(a.id, 'failed'), ...failed }, role(b.id, 'active')])
  fleet.services.onCall = async () => undefined
  const { done } = fleet.services
  const before = done.length
  assert.equal((await set(fleet, id, b.id)).data.router?.id, b.id)
  assert.deepEqual(done.slice(before), [`withdraw ${a.id}`, `converge ${b.id}`])
  assert.deepEqual(await routers(fleet), [role(b.id, 'active')])
})

forEachDialect('a claim that a killed gateway left is taken up again', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { id, a } = await standing(fleet)
  await addRole(fleet.store, { node_id: a.id, role: 'router', status: 'provisioning' })
  assert.equal((await set(fleet, id, a.id)).data.router?.id, a.id)
  assert.deepEqual(await routers(fleet), [role(a.id, 'active')])
})

forEachDialect('only an active member becomes the Router [CLU-033]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { id, a } = await standing(fleet)
  const stranger = await addNode(fleet.store)
  await fleet.store.db.updateTable('nodes').set({ status: 'failed' }).where('id', '=', a.id).execute()
  for (const node of [stranger.id, a.id, 99])
    await assert.rejects(set(fleet, id, node), { code: 'cluster.router_node_invalid', status: 409 })
  assert.deepEqual([await routers(fleet), fleet.services.done], [[], []])
})

forEachDialect('where nothing can make a Router, no role says that one is there', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { id, a, b } = await standing(fleet)
  const { store, routes } = fleet
  const { handlers } = testDomains({ store }, { clusterRoutes: routes }).clusters
  const refused = handlers['cluster:router:set']({ call: fakeCall(), input: { cluster: id, node: a.id } })
  await assert.rejects(refused, { code: 'node.capability_missing', status: 409 })
  assert.deepEqual(await routers(fleet), [])
  await addRole(store, { node_id: b.id, role: 'router' })
  const again = handlers['cluster:router:set']({ call: fakeCall(), input: { cluster: id, node: b.id } })
  await assert.rejects(again, { code: 'node.capability_missing' })
  const cleared = handlers['cluster:router:clear']({ call: fakeCall(), input: { cluster: id } })
  await assert.rejects(cleared, { code: 'node.capability_missing' })
  assert.deepEqual(await routers(fleet), [role(b.id, 'active')])
})
