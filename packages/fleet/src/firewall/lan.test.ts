import assert from 'node:assert/strict'
import {
  addCluster,
  addNode,
  addRole,
  endGraces,
  fakeCall,
  fakeClusterRoutes,
  forEachDialect,
  type NodeGiven,
  startNodesFleet,
  testDomains,
} from '@fleet/testing'
import type { DialectName, Row } from '@fleet/store'
import { fail } from '@fleet/contract'
import { parseRulesFile } from '#/firewall/ufw/rules-file.ts'
import { FakeUfw } from '#/firewall/world.test.ts'
import type { FirewallProgram } from '#/firewall/api.ts'

type Machine = Row<'nodes'>

/** Nodes with a firewall of their own each, and Clusters whose Routes follow without a machine. */
async function startLan(dialect: DialectName) {
  const fleet = await startNodesFleet(dialect)
  const firewalls = new Map<number, FakeUfw>()
  const of = (id: number): FakeUfw => {
    const found = firewalls.get(id) ?? new FakeUfw()
    firewalls.set(id, found)
    return found
  }
  const firewallProgram: FirewallProgram = {
    read: (session) => of(session.node.id).read(),
    listening: (session) => of(session.node.id).listening(),
    write: (session, writing) => of(session.node.id).write(session, writing),
    limitCallers: (session, limit) => of(session.node.id).limitCallers(session, limit),
  }
  const clusterRoutes = fakeClusterRoutes()
  const domains = testDomains({ store: fleet.store, ssh: fleet.pool }, { firewallProgram, clusterRoutes })
  const { lan } = domains.firewall.firewall
  const { id: clusterId } = await addCluster(fleet.store)
  let next = 10
  const machine = async (name: string, given: NodeGiven = {}): Promise<Machine> => {
    next += 1
    const addresses = { wireguard_ip: `10.44.0.${next}`, lan_ip: `192.168.7.${next}` }
    return addNode(fleet.store, { name, platform: 'linux', roles: ['app-dev'], ...addresses, ...given })
  }
  const change = async (verb: 'attach' | 'detach', { id }: Machine, cluster = clusterId) =>
    verb === 'attach'
      ? domains.clusters.handlers['cluster:node:attach']({ call: fakeCall(), input: { cluster, node: id } })
      : domains.clusters.handlers['cluster:node:detach']({
          call: fakeCall(),
          input: { cluster, node: id, force: true },
        })
  /** The work that changes of membership left, in these Clusters or all. */
  const settle = async (clusterIds?: readonly number[]): Promise<void> => {
    const rows = await fleet.store.db.selectFrom('work').select(['kind', 'key', 'payload']).execute()
    const [kind] = domains.clusters.workKinds
    assert.ok(kind && rows.length > 0)
    for (const row of rows) {
      assert.equal(row.kind, 'cluster:settle-lan-access')
      if (clusterIds && !clusterIds.some((id) => row.key?.startsWith(`${id}:`))) continue
      await kind.run(fakeCall(), kind.payload.parse(JSON.parse(row.payload)))
    }
  }
  /** The same after its grace. */
  const afterGrace = async (): Promise<void> => {
    await endGraces(fleet.store)
    await settle()
  }
  /** Source and port of each rule on the LAN of the Node. */
  const admits = ({ id, lan_ip }: Machine): readonly string[] =>
    parseRulesFile(of(id).rules, 'ipv4').blocks.flatMap(({ rule }) =>
      rule?.comment?.startsWith('fleet:router-lan-') === true && rule.destination === lan_ip
        ? [`${rule.source} ${rule.port}`]
        : [],
    )
  return { ...fleet, domains, clusterRoutes, clusterId, lan, of, machine, change, admits, settle, afterGrace }
}

forEachDialect(
  'a workload admits the Router of its Cluster on the LAN, the Router its members, and nobody else anybody, as members come and go [FW-031, CLU-007]',
  async (dialect) => {
    await using world = await startLan(dialect)
    const { machine, change, admits } = world
    const [edge, web, spare] = [await machine('edge'), await machine('web'), await machine('spare')]
    const plain = await machine('plain', { lan_ip: null })
    await change('attach', edge)
    await addRole(world.store, { node_id: edge.id, role: 'router' })
    for (const node of [web, spare, plain]) await change('attach', node)

    const members = [web, spare].flatMap(({ lan_ip }) => [`${lan_ip} 80`, `${lan_ip} 443`])
    assert.deepEqual(admits(edge), members)
    for (const node of [web, spare]) assert.deepEqual(admits(node), [`${edge.lan_ip} 443`])
    assert.equal(world.of(plain.id).asked.length, 0, 'a Node without a LAN address is not asked')

    const { data } = await world.domains.firewall.handlers['node:firewall:managed']({
      call: fakeCall(),
      input: { node: web.id },
    })
    assert.deepEqual(
      data.filter(({ name }) => name.startsWith('router-lan')),
      [
        {
          name: 'router-lan-workload',
          role: null,
          action: 'allow',
          source: edge.lan_ip,
          destination: web.lan_ip,
          port: '443',
          protocol: 'tcp',
          interface: null,
          direction: 'in',
        },
      ],
    )

    await change('detach', spare)
    assert.equal(admits(spare).length, 1, 'until resolvers know, requests come by the Router')
    await world.afterGrace()
    assert.deepEqual([admits(edge), admits(spare)], [members.slice(0, 2), []])
  },
)

forEachDialect(
  'another Router is admitted before it serves, and the earlier one is not any more after it was withdrawn [FW-031]',
  async (dialect) => {
    await using world = await startLan(dialect)
    const { machine, admits, lan, clusterId } = world
    const [edge, web] = [
      await machine('edge', { cluster_id: clusterId }),
      await machine('web', { cluster_id: clusterId }),
    ]
    const router = { clusterId, node: edge }
    await lan.converge(fakeCall(), { ...router, isRouter: true })
    assert.deepEqual(
      [admits(edge), admits(web)],
      [[`${web.lan_ip} 80`, `${web.lan_ip} 443`], [`${edge.lan_ip} 443`]],
    )
    await addRole(world.store, { node_id: edge.id, role: 'router' })
    await lan.converge(fakeCall(), { ...router, isRouter: false })
    assert.deepEqual([admits(edge), admits(web)], [[], []])
  },
)

forEachDialect(
  'a Node that is removed is admitted by no member any more, and again when its removal is undone [FW-031, NODE-086]',
  async (dialect) => {
    await using world = await startLan(dialect)
    const { clusterId, admits } = world
    const edge = await world.machine('edge', { cluster_id: clusterId })
    const web = await world.machine('web', { cluster_id: clusterId })
    await addRole(world.store, { node_id: edge.id, role: 'router' })
    const { membership } = world.domains.clusters
    const node = await world.nodes.nodes.find(web.id)
    assert.ok(node)
    await membership.updateLanAccess(fakeCall(), node)
    assert.equal(admits(edge).length, 2)
    await membership.withdrawLanAccess(fakeCall(), node)
    assert.deepEqual(admits(edge), [])
    await membership.updateLanAccess(fakeCall(), node)
    assert.equal(admits(edge).length, 2)
  },
)

forEachDialect(
  'restoring a firewall writes the LAN rules that are missing and removes those that nothing explains [FW-031]',
  async (dialect) => {
    await using world = await startLan(dialect)
    const { clusterId, admits } = world
    const edge = await world.machine('edge', { cluster_id: clusterId })
    const web = await world.machine('web', { cluster_id: clusterId })
    await addRole(world.store, { node_id: edge.id, role: 'router' })
    const node = await world.nodes.nodes.find(web.id)
    assert.ok(node)
    const restore = () =>
      world.domains.firewall.firewall.onNodes.restore(world.nodes.nodes.sessions.overTunnel(fakeCall(), node))
    assert.equal(await restore(), true)
    assert.deepEqual(admits(web), [`${edge.lan_ip} 443`])
    assert.equal(await restore(), false)
    await world.store.db.deleteFrom('node_roles').where('node_id', '=', edge.id).execute()
    assert.equal(await restore(), true)
    assert.deepEqual(admits(web), [])
  },
)

forEachDialect(
  'a Router whose rules cannot be written keeps the Node out of the Cluster and is named [CLU-007]',
  async (dialect) => {
    await using world = await startLan(dialect)
    const edge = await world.machine('edge', { cluster_id: world.clusterId })
    const web = await world.machine('web')
    await addRole(world.store, { node_id: edge.id, role: 'router' })
    world.of(edge.id).onRead = () => {
      throw fail('node.command_failed')
    }
    await assert.rejects(world.change('attach', web), {
      code: 'router.lan_ingress_failed',
      status: 502,
      details: { node: { id: edge.id, name: 'edge' }, error_code: 'node.command_failed' },
    })
    world.of(edge.id).onRead = () => undefined
    await world.change('attach', web)
    assert.equal(world.admits(edge).length, 2)
  },
)

forEachDialect(
  'a Cluster change that could not be published leaves no rule for the Node that did not join [FW-031]',
  async (dialect) => {
    await using world = await startLan(dialect)
    const edge = await world.machine('edge', { cluster_id: world.clusterId })
    const web = await world.machine('web')
    await addRole(world.store, { node_id: edge.id, role: 'router' })
    await world.store.db.updateTable('clusters').set({ state: 'active' }).execute()
    world.clusterRoutes.onPublish = () => Promise.reject(fail('node.unreachable'))
    await assert.rejects(world.change('attach', web), { code: 'node.unreachable' })
    await world.afterGrace()
    assert.deepEqual([world.admits(edge), world.admits(web)], [[], []])
  },
)

forEachDialect(
  'a Node whose Routes keep it where it is changes no rule and leaves no work, also where rules could not be written [CLU-044, GW-027]',
  async (dialect) => {
    await using world = await startLan(dialect)
    const { machine, change, clusterRoutes, store } = world
    const edge = await machine('edge', { cluster_id: world.clusterId })
    await addRole(store, { node_id: edge.id, role: 'router' })
    await store.db.updateTable('clusters').set({ state: 'active' }).execute()
    const [stranger, member] = [await machine('web'), await machine('api', { cluster_id: world.clusterId })]
    clusterRoutes.standing = [stranger, member].map(({ id }) => ({
      id,
      domain: `${id}.example`,
      nodeId: id,
      isGenerated: false,
      isMovable: true,
      isServedInPublic: true,
    }))
    for (const { id } of [edge, stranger, member])
      world.of(id).onRead = () => {
        throw fail('node.command_failed')
      }
    const refusal = { code: 'route.reconciliation_required', status: 409 }
    await assert.rejects(change('attach', stranger), refusal)
    await assert.rejects(change('detach', member), refusal)
    const asked = [edge, stranger, member].map(({ id }) => world.of(id).asked.length)
    assert.deepEqual(asked, [0, 0, 0])
    assert.deepEqual(await store.db.selectFrom('work').selectAll().execute(), [])
  },
)

forEachDialect(
  'a Node that leaves again while the rules of its last change are still to be settled stays admitted until names lead elsewhere for everybody [FW-031]',
  async (dialect) => {
    await using world = await startLan(dialect)
    const { machine, change, admits, store } = world
    const [edge, web] = [await machine('edge'), await machine('web')]
    await change('attach', edge)
    await addRole(store, { node_id: edge.id, role: 'router' })
    await change('attach', web)
    // The first settlement is due, and waits for the Cluster.
    await endGraces(store)
    await change('detach', web)
    await world.settle()
    assert.deepEqual(admits(web), [`${edge.lan_ip} 443`])
    await world.afterGrace()
    assert.deepEqual([admits(web), admits(edge)], [[], []])
  },
)

forEachDialect(
  'a Node that left one Cluster for another keeps the rules of that when the grace of the first is over [FW-031]',
  async (dialect) => {
    await using world = await startLan(dialect)
    const { machine, change, admits } = world
    const [first, second, web] = [await machine('first'), await machine('second'), await machine('web')]
    const { id } = await addCluster(world.store, {}, [second])
    await change('attach', first)
    for (const router of [first, second]) await addRole(world.store, { node_id: router.id, role: 'router' })
    await change('attach', web)
    await change('detach', web)
    await world.domains.clusters.handlers['cluster:node:attach']({
      call: fakeCall(),
      input: { cluster: id, node: web.id },
    })
    await world.afterGrace()
    assert.deepEqual(admits(web), [`${second.lan_ip} 443`])
    assert.deepEqual([admits(first), admits(second).length], [[], 2])
  },
)

/** A Node that has left the Cluster, and another one with its Router, which takes the Routes of the Node. */
async function startMove(dialect: DialectName) {
  const world = await startLan(dialect)
  const { machine, change, store } = world
  const [first, second, web] = [await machine('first'), await machine('second'), await machine('web')]
  const other = await addCluster(store, { state: 'active' }, [second])
  await change('attach', first)
  for (const router of [first, second]) await addRole(store, { node_id: router.id, role: 'router' })
  await change('attach', web)
  await change('detach', web)
  return { ...world, first, second, web, other, attaching: () => change('attach', web, other.id) }
}

forEachDialect(
  'what a Cluster has prepared for a Node that joins it stays when the grace of the Cluster that the Node left ends meanwhile, or the Node converges [FW-031]',
  async (dialect) => {
    await using world = await startMove(dialect)
    const { admits, first, second, web, clusterRoutes, nodes, domains } = world
    const seen: unknown[] = []
    const look = (): void => void seen.push([admits(web), admits(first).length, admits(second).length])
    const restore = async (node: Machine): Promise<void> => {
      const found = await nodes.nodes.find(node.id)
      assert.ok(found)
      const session = nodes.nodes.sessions.overTunnel(fakeCall(), found)
      await domains.firewall.firewall.onNodes.restore(session)
    }
    clusterRoutes.onPublish = async () => {
      look()
      await endGraces(world.store)
      await world.settle([world.clusterId])
      look()
      for (const node of [web, second]) await restore(node)
      look()
    }
    await world.attaching()
    const [of, others] = [`${second.lan_ip} 443`, `${first.lan_ip} 443`]
    assert.deepEqual(seen, [
      // Resolvers may still lead to the Router that the Node has left.
      [[of, others], 2, 2],
      [[of], 0, 2],
      [[of], 0, 2],
    ])
    await world.afterGrace()
    look()
    assert.deepEqual(seen.at(-1), [[of], 0, 2])
  },
)

forEachDialect(
  'a Node that left one Cluster and did not get into the next is admitted by none, whichever is settled first [FW-031]',
  async (dialect) => {
    for (const isEarlierFirst of [true, false]) {
      await using world = await startMove(dialect)
      const { admits, first, second, web, clusterRoutes, clusterId, other } = world
      clusterRoutes.onPublish = () => Promise.reject(fail('node.unreachable'))
      await assert.rejects(world.attaching(), { code: 'node.unreachable' })
      assert.equal(admits(web).length, 2)
      await endGraces(world.store)
      for (const id of isEarlierFirst ? [clusterId, other.id] : [other.id, clusterId])
        await world.settle([id])
      assert.deepEqual([admits(web), admits(first), admits(second)], [[], [], []])
    }
  },
)
