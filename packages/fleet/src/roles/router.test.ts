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
  const routers = makeRouterServices({
    store,
    clock: systemClock,
    services,
    sessions: makeSessions(scriptedPool()),
    nodes: { answers: async () => world.answers },
    sites: { leaveBehind: async ({ name }) => void left.push(name) },
  })
  return { store, services, member, routers, left, world, clusterId: id, name: row.name }
}

test('the first role of a Node closes its public SSH, the last one opens it again, as for any role [NODE-066, ROLE-025, CLU-026]', async () => {
  const { services, member, routers, clusterId, name } = await startWorld()
  services.roleSteps.splice(0, 1, 'firewall', 'certificates', 'web-server')
  await routers.requireCapable(fakeCall(), member)
  const call = fakeCall()
  await routers.converge(call, clusterId, member)
  assert.deepEqual(
    call.steps.filter((step) => step.endsWith('done')),
    ['firewall', 'certificates', 'web-server', 'public-ssh', 'managed-dns'].map(
      (step) => `role:${step} done`,
    ),
  )
  assert.equal(services.world.publicSsh.has(name), false)
  await routers.withdraw(fakeCall(), clusterId, member)
  assert.equal(services.world.publicSsh.has(name), true)
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

test('a Router that does not answer never keeps its Cluster: what it has is recorded', async () => {
  const { services, member, routers, clusterId, left, world, name } = await startWorld()
  world.answers = false
  await routers.withdraw(fakeCall(), clusterId, member)
  assert.deepEqual([left, services.calls], [[name], ['tunnel.requireConfigured']])
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
      const { store, services, member, name } = await startWorld()
      const node = await findNode(store.db, member.id)
      if (!node) throw new Error('the Node is gone')
      const session = makeSessions(scriptedPool()).overTunnel(fakeCall(), node)
      return { ...(await routerSteps({ store, services }, session, kind)), services, name }
    },
    view: ({ services: { world }, name }) =>
      Object.entries(world).flatMap(([what, set]) => (set instanceof Set ? [[what, set.has(name)]] : [])),
  })
