import assert from 'node:assert/strict'
import { fail, type NodeData } from '@fleet/contract'
import {
  addCluster,
  addNode,
  type FakeCall,
  fakeCall,
  forEachDialect,
  startClustersFleet,
} from '@fleet/testing'

/** What was reported, in the words `node.updated <name> <cluster> <roles>`. */
const reported = ({ events }: Pick<FakeCall, 'events'>): readonly string[] =>
  events.map(({ type, data }) => {
    const { name, cluster_id, roles } = data as NodeData // Clusters report Nodes alone.
    return [type, name, cluster_id, ...roles].join(' ')
  })

forEachDialect(
  'a Node that joins or leaves is reported as it is then; a repeat reports nothing [CLU-012]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const { handlers } = fleet.clusters
    const node = await addNode(fleet.store, { name: 'web', roles: [] })
    const { id: cluster } = await addCluster(fleet.store)
    const input = { cluster, node: node.id }
    const calls = [fakeCall(), fakeCall(), fakeCall()] as const
    await handlers['cluster:node:attach']({ call: calls[0], input })
    await handlers['cluster:node:attach']({ call: calls[1], input })
    await handlers['cluster:node:detach']({ call: calls[2], input })
    assert.deepEqual(calls.map(reported), [[`node.updated web ${cluster}`], [], ['node.updated web ']])
  },
)

forEachDialect('Nodes whose roles change with the Router are reported [CLU-012]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { handlers } = fleet.clusters
  const [a, b] = [
    await addNode(fleet.store, { name: 'a', roles: [] }),
    await addNode(fleet.store, { name: 'b', roles: [] }),
  ]
  const { id: cluster } = await addCluster(fleet.store, {}, [a, b])
  const [first, second, last] = [fakeCall(), fakeCall(), fakeCall()]
  await handlers['cluster:router:set']({ call: first, input: { cluster, node: a.id } })
  await handlers['cluster:router:set']({ call: second, input: { cluster, node: b.id } })
  await handlers['cluster:router:clear']({ call: last, input: { cluster } })
  assert.deepEqual(reported(first), [`node.updated a ${cluster} router`])
  assert.equal(reported(second).includes(`node.updated b ${cluster} router`), true)
  assert.equal(reported(second).at(-1), `node.updated a ${cluster}`)
  assert.deepEqual(reported(last), [`node.updated b ${cluster}`])
})

forEachDialect(
  'a Router that took over is published although its names are not, since the repeat finds it in place [EV-019, CLU-012]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const node = await addNode(fleet.store, { name: 'web', roles: [] })
    const { id: cluster } = await addCluster(fleet.store, {}, [node])
    const { settle } = fleet.routes
    const set = fleet.clusters.handlers['cluster:router:set']
    const [first, repeat] = [fakeCall(), fakeCall()]
    fleet.routes.settle = () => Promise.reject(fail('node.unreachable'))
    const input = { cluster, node: node.id }
    await assert.rejects(set({ call: first, input }), { code: 'node.unreachable' })
    fleet.routes.settle = settle
    await set({ call: repeat, input })
    assert.deepEqual(
      [first, repeat].map(({ published }) => reported({ events: published })),
      [[`node.updated web ${cluster} router`], []],
    )
  },
)

forEachDialect(
  'a change of the Cluster itself reports nothing: no record of a Node changes [CLU-012]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const router = await addNode(fleet.store, { roles: ['router'] })
    const { id: cluster } = await addCluster(fleet.store, {}, [router])
    const call = fakeCall()
    const input = { cluster, state: 'active', tld: 'berlin', name: 'other' }
    await fleet.clusters.handlers['cluster:update']({ call, input })
    assert.deepEqual(call.events, [])
  },
)

forEachDialect('names lead to a new Router before the earlier one is withdrawn', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { handlers } = fleet.clusters
  const [a, b] = [await addNode(fleet.store), await addNode(fleet.store)]
  const { id: cluster } = await addCluster(fleet.store, {}, [a, b])
  await handlers['cluster:router:set']({ call: fakeCall(), input: { cluster, node: a.id } })
  const seen: unknown[] = []
  fleet.services.onCall = async (deed, id) => void seen.push(`${deed} ${id}`)
  fleet.routes.settle = async () => {
    const roles = fleet.store.db.selectFrom('node_roles').select(['node_id', 'status'])
    const active = await roles.where('role', '=', 'router').where('status', '=', 'active').execute()
    seen.push(`names ${active.map(({ node_id }) => node_id).join()}`)
  }
  await handlers['cluster:router:set']({ call: fakeCall(), input: { cluster, node: b.id } })
  const [settled, withdrawn] = [seen.indexOf(`names ${b.id}`), seen.indexOf(`withdraw ${a.id}`)]
  assert.ok(settled >= 0 && settled < withdrawn, seen.join(', '))
  seen.length = 0
  await handlers['cluster:router:clear']({ call: fakeCall(), input: { cluster } })
  assert.deepEqual(seen, [`capable ${b.id}`, 'names ', `withdraw ${b.id}`])
})
