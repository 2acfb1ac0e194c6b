import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fail } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import { testStepList } from '@fleet/steps/testing'
import type { Store } from '@fleet/store'
import {
  addCluster,
  addNode,
  fakeCall,
  type FakeNodeServices,
  fakeNodeServices,
  openTestStore,
  scriptedPool,
} from '@fleet/testing'
import type { MemberRecord } from '#/clusters/api.ts'
import type { LanAccess } from '#/firewall/api.ts'
import { findNode, makeSessions } from '#/nodes/api.ts'
import { makeRouterServices, routerServices, routerSteps, type RouterWork } from '#/roles/router.ts'

let opened: Promise<Store> | undefined
after(async () => (await opened)?.[Symbol.asyncDispose]())

async function startWorld() {
  const store = await (opened ??= openTestStore())
  const services = fakeNodeServices()
  const row = await addNode(store, { roles: [] })
  services.world.publicSsh.add(row.name)
  const { id } = await addCluster(store, {}, [row])
  const member: MemberRecord = { ...row, cluster_id: id, routerStatus: null, hasIngress: false }
  const left: string[] = []
  const world = { answers: true }
  const lan: LanAccess = {
    converge: async (_call, { clusterId, node, isRouter }) => {
      const key = `${clusterId}:${node.id}`
      if (isRouter === true) services.world.lanAccess.add(key)
      else services.world.lanAccess.delete(key)
    },
  }
  const routers = makeRouterServices({
    store,
    clock: systemClock,
    services,
    sessions: makeSessions(scriptedPool()),
    nodes: { answers: async () => world.answers },
    sites: { leaveBehind: async ({ node }) => void left.push(node.name) },
    lan,
  })
  const access = { lan, admits: () => services.world.lanAccess.has(`${id}:${row.id}`) }
  const { name } = row
  return { store, services, member, routers, left, world, clusterId: id, name, ...access }
}

test('the first role of a Node closes its public SSH, the last one opens it again, as for any role [NODE-066, ROLE-025, CLU-026]', async () => {
  const { services, member, routers, clusterId, name, admits } = await startWorld()
  services.roleSteps.splice(0, 1, 'firewall', 'certificates', 'web-server')
  await routers.requireCapable(fakeCall(), member)
  const call = fakeCall()
  await routers.converge(call, clusterId, member)
  assert.deepEqual(
    call.steps.filter((step) => step.endsWith('done')),
    ['firewall', 'certificates', 'web-server', 'public-ssh', 'managed-dns', 'router-lan-access'].map(
      (step) => `role:${step} done`,
    ),
  )
  assert.deepEqual([services.world.publicSsh.has(name), admits()], [false, true])
  await routers.withdraw(fakeCall(), clusterId, member)
  assert.deepEqual([services.world.publicSsh.has(name), admits()], [true, false])
})

test('a failed step is named with what stopped it [CLU-027]', async () => {
  const { services, member, routers, clusterId, name } = await startWorld()
  services.breakAt('firewall.closePublicSsh', fail('firewall.apply_failed'))
  await assert.rejects(routers.converge(fakeCall(), clusterId, member), {
    code: 'node_role.convergence_failed',
    details: {
      node: { id: member.id, name },
      role: 'router',
      step: 'public-ssh',
      error_code: 'firewall.apply_failed',
    },
  })
})

test('a Router that does not answer never keeps its Cluster: what it has is recorded, and nobody admits it', async () => {
  const { services, member, routers, clusterId, left, world, name, admits } = await startWorld()
  await routers.converge(fakeCall(), clusterId, member)
  services.calls.length = 0
  world.answers = false
  await routers.withdraw(fakeCall(), clusterId, member)
  assert.deepEqual([left, services.calls], [[name], ['tunnel.requireConfigured']])
  assert.equal(admits(), false)
})

interface Given extends RouterWork {
  readonly services: FakeNodeServices
  readonly name: string
}

for (const kind of ['converge', 'remove'] as const)
  testStepList<Given>('router-services', {
    variant: kind,
    list: routerServices,
    fresh: async () => {
      const { store, services, member, name, lan } = await startWorld()
      const node = await findNode(store.db, member.id)
      if (!node) throw new Error('the Node is gone')
      const session = makeSessions(scriptedPool()).overTunnel(fakeCall(), node)
      return { ...(await routerSteps({ store, services, lan }, session, kind)), services, name }
    },
    view: ({ services: { world }, name }) =>
      Object.entries(world).flatMap(([what, set]) => (set instanceof Set ? [[what, set.has(name)]] : [])),
  })
