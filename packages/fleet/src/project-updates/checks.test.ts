import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doctorCodes } from '@fleet/contract'
import { repairOf } from '@fleet/contract/doctor-codes'
import { addInstance, addNode, addProject, fakeCall, forEachDialect, openTestStore } from '@fleet/testing'
import { refusalOf } from '@fleet/testing/instances-fleet'
import type { Check, Verdict } from '#/nodes/api.ts'
import { makeUpdateChecks } from '#/project-updates/checks.ts'
import { openUpdatesOn } from '#/project-updates/queries.ts'
import { GIVEN, startWorld, type World } from '#/project-updates/world.test.ts'

/** What Doctor finds of Projects on a Node, by name. */
async function findingsOn(world: World, nodeId: number): Promise<ReadonlyMap<string, Verdict>> {
  const node = (await world.deps.checkouts.of(world.project.id)).find(
    ({ row }) => row.node_id === nodeId,
  )?.node
  const checks = await makeUpdateChecks(world).checksOf(fakeCall(), node ?? assert.fail('no such Node'))
  const judged = async (check: Check) => [check.resource.name, await judge(check)] as const
  return new Map(await Promise.all(checks.map(judged)))
}

const judge = (check: Check): Promise<Verdict> | Verdict => {
  assert.equal(check.code, 'project.update_unfinished')
  if (check.kind !== 'stored') return assert.fail('the records are enough')
  return check.judge()
}

test('an update that nobody works on is reported on each Node with a checkout of the Project, and its next command finishes it', async () => {
  await using world = await startWorld()
  const { name, id } = world.project
  const [node = assert.fail()] = await world.store.db.selectFrom('nodes').selectAll().execute()
  const finding = async () => (await findingsOn(world, node.id)).get(name)
  assert.equal(await finding(), undefined)
  world.failsOnce('replace')
  await refusalOf(world.update(GIVEN))
  assert.deepEqual(await finding(), { expected: 'finished', observed: 'publishing, at routes' })
  {
    await using _held = await world.store.locks.acquire({
      name: `project:${id}`,
      operation: 'project:update',
      requestId: '00000000-0000-4000-8000-000000000001',
      waitMilliseconds: 0,
      leaseSeconds: 60,
    })
    assert.equal(await finding(), undefined, 'somebody works on it')
  }
  const { command } = repairOf('project.update_unfinished', {
    node_id: node.id,
    node_name: node.name,
    resource_name: name,
    resource_id: id,
  })
  assert.equal(command, `project:update ${id} --resume`)
  assert.equal(doctorCodes['project.update_unfinished'].kind, 'drift')
  await world.update({ resume: true })
  assert.equal(await finding(), undefined)
  const { slug, root } = await world.store.db.selectFrom('projects').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([slug, root], [GIVEN.slug, GIVEN.root])
})

test('an update that could not be undone is undone and run again by the same command; without an open one it changes nothing', async () => {
  await using world = await startWorld()
  await world.update({ resume: true })
  assert.deepEqual(world.done, [])
  world.broken.set('branch *', 'project.source_switch_failed').set('origin back feature', 'node.unreachable')
  const [node = assert.fail()] = await world.store.db.selectFrom('nodes').selectAll().execute()
  await refusalOf(world.update(GIVEN))
  world.broken.clear()
  const finding = async () => (await findingsOn(world, node.id)).get(world.project.name)
  assert.deepEqual(await finding(), { expected: 'finished', observed: 'rolling back, at branch' })
  world.done.splice(0)
  await world.update({ resume: true })
  assert.equal(world.done[0], 'origin back default')
  assert.equal(await finding(), undefined)
  const { slug } = await world.store.db.selectFrom('projects').selectAll().executeTakeFirstOrThrow()
  assert.equal(slug, GIVEN.slug)
})

test('a resumption names no other member', async () => {
  await using world = await startWorld()
  const { code } = await refusalOf(world.update({ resume: true, slug: 'next' }))
  assert.equal(code, 'validation.failed')
  assert.equal((await refusalOf(world.update({ resume: false }))).code, 'project.update_required')
})

forEachDialect(
  'Projects with a development Instance on the Node are read with what is open',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const [node, other] = [await addNode(store), await addNode(store)]
    const project = await addProject(store)
    const live = { project_id: project.id, node_id: other.id, environment: 'production' } as const
    await addInstance(store, live)
    await addInstance(store, { project_id: project.id, node_id: node.id })
    const row = { id: project.id, name: project.name, state: null, failed_step: null }
    assert.deepEqual(await openUpdatesOn(store.db, node.id), [row])
    assert.deepEqual(await openUpdatesOn(store.db, other.id), [])
  },
)
