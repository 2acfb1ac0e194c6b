import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorCode } from '@fleet/contract'
import { SshFailure } from '@fleet/ssh'
import {
  addInstance,
  addProcess,
  addProject,
  addSchedule,
  type EnrolmentFleet,
  fakeCall,
  forEachDialect,
  startEnrolmentFleet,
  testDomains,
} from '@fleet/testing'

const SILENT = new SshFailure('unreachable', false)

/** A member whose machine does not answer, with one Process; what it owns is read from the records. */
async function worldWithSilent(dialect?: Parameters<typeof startEnrolmentFleet>[0]) {
  const fleet = await startEnrolmentFleet(dialect)
  await fleet.addHub()
  await fleet.enroll()
  const node = (await fleet.row()) ?? assert.fail()
  Object.assign(fleet.services.owned, testDomains({ store: fleet.store }).nodeServices.owned)
  await addProcess(fleet.store, { node_id: node.id, name: 'queue' })
  const { probe } = fleet.pool
  Object.assign(fleet.pool, { probe: () => Promise.reject(SILENT) })
  return { fleet, node, comesBack: () => void Object.assign(fleet.pool, { probe }) }
}

/** `work` runs once, right after the service was called. */
function after({ services }: EnrolmentFleet, name: string, work: () => Promise<unknown>): void {
  const { around } = services
  let hasRun = false
  services.around = async (call) => {
    const result = await around(call)
    if (hasRun || services.calls.at(-1)?.startsWith(name) !== true) return result
    hasRun = true
    await work()
    return result
  }
}

const gone = { force: true, offline: true }

const processes = async ({ store }: EnrolmentFleet) =>
  (await store.db.selectFrom('processes').select('name').execute()).map(({ name }) => name)

forEachDialect(
  'what is stored on a silent Node while it is removed keeps it, with its Processes, and is named [NODE-090, NODE-095]',
  async (dialect) => {
    const cases: ReadonlyArray<
      readonly [ErrorCode, (fleet: EnrolmentFleet, nodeId: number) => Promise<unknown>]
    > = [
      [
        'node.has_instances',
        async ({ store }, node_id) =>
          addInstance(store, { project_id: (await addProject(store)).id, node_id, status: 'reserved' }),
      ],
      ['schedule.target_in_use', ({ store }, node_id) => addSchedule(store, { node_id })],
    ]
    for (const [code, stored] of cases) {
      const { fleet, node } = await worldWithSilent(dialect)
      await using _fleet = fleet
      after(fleet, 'dns.publishWithout', () => stored(fleet, node.id))
      const call = fakeCall({ operation: 'node:remove' })
      await assert.rejects(fleet.remove(node.id, gone, call), {
        code,
        details: { node: { id: node.id, name: node.name }, count: 1 },
      })
      assert.deepEqual(await processes(fleet), ['queue'])
      assert.deepEqual(call.published, [])
      const row = (await fleet.row()) ?? assert.fail()
      assert.deepEqual([row.status, row.removal], ['active', null])
      assert.ok(fleet.services.world.peers.has(node.name))
    }
  },
)

forEachDialect('a record that comes at the last moment is named as well [NODE-090]', async (dialect) => {
  const { fleet, node } = await worldWithSilent(dialect)
  await using _fleet = fleet
  const { owned } = fleet.services
  const { instances } = owned
  let asked = 0
  // The second question is that in the transaction; what it misses PostgreSQL can still store before the Node is deleted.
  Object.assign(owned, { instances: (id: number) => (++asked === 2 ? Promise.resolve(0) : instances(id)) })
  after(fleet, 'dns.publishWithout', async () =>
    addInstance(fleet.store, { project_id: (await addProject(fleet.store)).id, node_id: node.id }),
  )
  await assert.rejects(fleet.remove(node.id, gone), { code: 'node.has_instances' })
  assert.equal(asked, 3)
  assert.deepEqual(await processes(fleet), ['queue'])
})

test('a silent Node that goes takes its Processes with it, and they are published [NODE-095]', async () => {
  const { fleet, node } = await worldWithSilent()
  await using _fleet = fleet
  const call = fakeCall({ operation: 'node:remove' })
  await fleet.remove(node.id, gone, call)
  assert.deepEqual(await processes(fleet), [])
  assert.deepEqual(
    call.published.map(({ type }) => type),
    ['process.deleted'],
  )
})

forEachDialect('a Node that joins again while it is removed as silent stays a member', async (dialect) => {
  const { fleet, node, comesBack } = await worldWithSilent(dialect)
  await using _fleet = fleet
  after(fleet, 'membership.withdrawLanAccess', async () => {
    comesBack()
    const call = fakeCall({ operation: 'node:converge' })
    await fleet.nodes.handlers['node:converge']({ call, input: { node: node.id, force: true } })
  })
  await assert.rejects(fleet.remove(node.id, gone), {
    code: 'node.provisioning_busy',
    message: /^The Node web-1 was brought back into the private network.*`fleet node:remove web-1`\.$/,
    details: { node: { id: node.id, name: node.name } },
  })
  const row = (await fleet.row()) ?? assert.fail()
  assert.deepEqual([row.status, row.removal], ['active', null])
  assert.ok(fleet.services.world.peers.has(node.name))
  assert.deepEqual(await processes(fleet), ['queue'])
  await fleet.store.db.deleteFrom('processes').execute()
  await fleet.remove(node.id)
  assert.ok(!fleet.services.world.peers.has(node.name))
})
