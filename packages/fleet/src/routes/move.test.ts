import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InputOf, TransferProgress } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import { addCluster, addNode, addRole, fakeCall } from '@fleet/testing'
import { addApp, createInstance, destroy, destroyInstance, startWorld, type World } from '#/routes/world.test.ts'

/** An Instance on one of two Nodes, each in a Cluster of its own with a Router. */
async function twoNodes(world: World) {
  const { store, node } = world
  const other = await addNode(store, { wireguard_ip: '10.44.0.9', roles: ['app-dev'] })
  for (const [member, tld] of [
    [node, 'here'],
    [other, 'there'],
  ] as const) {
    const router = await addNode(store, { wireguard_ip: `10.44.1.${member.id}` })
    await addCluster(store, { tld, state: 'active' }, [member, router])
    await addRole(store, { node_id: router.id, role: 'router' })
  }
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  world.done.length = 0
  return { other, data, project }
}

const transfer = (world: World, given: InputOf<'instance:transfer'>) =>
  world.instances.handlers['instance:transfer']({ call: fakeCall(), input: given })

test('an Instance with its Route moves to another Node, and the identical request answers it [INS-031, INS-092, RTE-148]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  assert.equal(data.domain, 'shop.here')
  const moved = await transfer(world, { instance: data.id, node_id: other.id })
  assert.deepEqual(
    [moved.created, moved.data.id, moved.data.node_id, moved.data.domain, moved.data.route?.id],
    [true, data.id, other.id, 'shop.there', data.route?.id],
  )
  assert.deepEqual([moved.data.route?.status, moved.data.status], ['active', 'active'])
  assert.deepEqual(
    [
      moved.data.transfer?.status,
      moved.data.transfer?.cutover_completed,
      moved.data.transfer?.cleanup_completed,
      moved.data.transfer?.current_step,
      moved.data.transfer?.recovery_evidence,
    ],
    ['completed', true, true, null, null],
  )
  const again = await transfer(world, { instance: data.id, node_id: other.id })
  assert.deepEqual([again.created, again.data], [false, moved.data])
  const back = await transfer(world, { instance: data.id, node_id: data.node_id, name: 'renamed' })
  assert.deepEqual([back.data.name, back.data.domain], ['renamed', 'renamed.shop.here'])
})

test('what cannot be transferred is refused before any change', async () => {
  await using world = await startWorld()
  const { other, data, project } = await twoNodes(world)
  const refused = async (code: string, given: Partial<InputOf<'instance:transfer'>> = {}) =>
    assert.rejects(transfer(world, { instance: data.id, node_id: other.id, ...given }), { code })
  await refused('node.not_found', { node_id: 999 })
  await refused('instance.same_node', { node_id: data.node_id })
  await createInstance(world, { project_id: project.id, name: 'second' })
  await refused('instance.identity_conflict', { name: 'second' })
  await world.store.db.updateTable('nodes').set({ status: 'failed' }).where('id', '=', other.id).execute()
  await refused('instance.node_inactive')
  await world.store.db
    .updateTable('nodes')
    .set({ status: 'active', cluster_id: null })
    .where('id', '=', other.id)
    .execute()
  await refused('instance.standalone_unsupported')
  const row = await world.store.db.selectFrom('instances').selectAll().where('id', '=', data.id).executeTakeFirstOrThrow()
  assert.deepEqual([row.transfer, row.node_id], [null, data.node_id])
})

test('a failure after the cutover leaves the transfer open, which owns the Routes and is only resumed [INS-096, RTE-173]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const request = { instance: data.id, node_id: other.id }
  world.broken.set('access', 'node.command_failed')
  await assert.rejects(transfer(world, request), (error: unknown) => {
    const { transfer: progress } = (error as CodedError).details as { readonly transfer: TransferProgress } // As asserted.
    assert.deepEqual(
      [progress.status, progress.failed_step, progress.error_code, progress.cutover_completed],
      ['failed', 'route_publication', 'node.command_failed', true],
    )
    assert.deepEqual(progress.recovery_evidence, {
      rollback_pending: false,
      incomplete: ['route_publication', 'runtime_start', 'source_cleanup'],
    })
    return true
  })
  await assert.rejects(transfer(world, { ...request, node_id: data.node_id }), {
    code: 'instance.transfer_retry_conflict',
  })
  const open = { code: 'instance.transfer_incomplete' }
  await assert.rejects(destroyInstance(world, data.id, { force: true }), open)
  await assert.rejects(destroy(world, data.route?.id ?? 0), open)
  world.broken.clear()
  const { data: moved } = await transfer(world, request)
  assert.deepEqual([moved.node_id, moved.route?.status, moved.transfer?.status], [other.id, 'active', 'completed'])
})

test('a failure before the cutover puts the Instance back and closes the transfer', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  world.broken.set('name', 'node.command_failed')
  world.worksAfter = { what: 'name', times: 1, seen: () => undefined }
  await assert.rejects(transfer(world, { instance: data.id, node_id: other.id }), { code: 'node.command_failed' })
  const { data: shown } = await world.instances.handlers['instance:show']({
    call: fakeCall(),
    input: { instance: data.id },
  })
  assert.deepEqual([shown.node_id, shown.domain, shown.route?.status], [data.node_id, 'shop.here', 'active'])
  assert.deepEqual([shown.transfer?.status, shown.transfer?.recovery_evidence], ['rolled_back', null])
  const { data: moved } = await transfer(world, { instance: data.id, node_id: other.id })
  assert.equal(moved.node_id, other.id)
})
