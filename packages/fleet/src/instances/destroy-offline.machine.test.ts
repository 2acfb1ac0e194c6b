import assert from 'node:assert/strict'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SshFailure } from '@fleet/ssh'
import { fakeCall, testDomains } from '@fleet/testing'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { makeSessions } from '#/nodes/api.ts'

const silence = () => Promise.reject(new SshFailure('unreachable', false))

const silent = (fleet: InstancesFleet) =>
  fleet.rebuild({ ssh: { ...fleet.pool, probe: silence, run: silence } })

const destroy = async (
  fleet: InstancesFleet,
  instance: number,
  flags: { readonly force?: boolean; readonly offline?: boolean },
  domain = fleet.domain,
) => {
  const call = fakeCall()
  const { data } = await domain.handlers['instance:destroy']({ call, input: { instance, ...flags } })
  return { data, events: call.events }
}

const residues = ({ store }: InstancesFleet) =>
  store.db.selectFrom('instance_residues').select(['instance_id', 'checkout_path']).execute()
const instances = ({ store }: InstancesFleet) => store.db.selectFrom('instances').select('id').execute()
const clear = ({ domain, pool, node }: InstancesFleet) =>
  domain.residue.converge(makeSessions(pool).overTunnel(fakeCall(), node), { force: false })

test('an Instance of a dead machine goes by its record alone, and its checkout once the Node is back', async () => {
  await using fleet = await startInstancesFleet()
  const { data: made } = await fleet.create()
  writeFileSync(join(made.checkout_path, 'mine.txt'), 'mine')
  const { data, events } = await destroy(fleet, made.id, { offline: true, force: true }, silent(fleet))
  const retained = [
    { node_id: fleet.node.id, node: fleet.node.name, path: made.checkout_path, database: null },
  ]
  assert.deepEqual([data.status, data.retained_on_nodes], ['completed', retained])
  assert.deepEqual(
    events.map(({ type }) => type),
    ['instance.deleted'],
  )
  assert.deepEqual(await instances(fleet), [])
  assert.deepEqual(await residues(fleet), [{ instance_id: made.id, checkout_path: made.checkout_path }])
  assert.equal(existsSync(made.checkout_path), true)
  assert.equal(typeof (await fleet.domain.residue.digest(fleet.node)), 'string')
  assert.equal(await clear(fleet), 'applied')
  assert.deepEqual([await residues(fleet), fleet.residue()], [[], []])
  assert.equal(await fleet.domain.residue.digest(fleet.node), undefined, 'the Node has no such artifact')
})

test('of an Instance in production the whole home stays on the dead machine, with its environment', async () => {
  await using fleet = await startInstancesFleet()
  const { data: made } = await fleet.create()
  await fleet.store.db
    .updateTable('instances')
    .set({ environment: 'production', production_user: 'shop-live', production_home: '/home/shop-live' })
    .execute()
  const { data } = await destroy(fleet, made.id, { offline: true, force: true }, silent(fleet))
  assert.deepEqual(data.retained_on_nodes, [
    { node_id: fleet.node.id, node: fleet.node.name, path: '/home/shop-live', database: null },
  ])
})

test('nothing is removed offline without consent, and a machine that answers is asked as ever', async () => {
  await using fleet = await startInstancesFleet()
  const { data: made } = await fleet.create()
  const unconfirmed = await refusalOf(destroy(fleet, made.id, { offline: true }, silent(fleet)))
  assert.deepEqual(
    [unconfirmed.code, unconfirmed.status, unconfirmed.details['node']],
    ['node.confirmation_required', 409, { id: fleet.node.id, name: fleet.node.name }],
  )
  const without = await refusalOf(destroy(fleet, made.id, { force: true }, silent(fleet)))
  assert.equal(without.code, 'node.unreachable')
  writeFileSync(join(made.checkout_path, 'mine.txt'), 'mine')
  const looked = await refusalOf(destroy(fleet, made.id, { offline: true }))
  assert.equal(looked.code, 'instance.remove_refused')
  assert.deepEqual([(await instances(fleet)).length, await residues(fleet)], [1, []])
  const { data } = await destroy(fleet, made.id, { offline: true, force: true })
  assert.deepEqual([data.retained_on_nodes, await residues(fleet), fleet.residue()], [[], [], []])
})

test('a Node that is not active is not asked, and a removal that had begun ends the same way', async () => {
  await using fleet = await startInstancesFleet()
  const { data: made } = await fleet.create()
  fleet.pool.failBefore((shown) => shown.includes('discard'))
  await assert.rejects(fleet.destroy(made.id, true))
  fleet.pool.clearFaults()
  await fleet.store.db.updateTable('nodes').set({ status: 'failed' }).execute()
  const asked = fleet.pool.commands.length
  const { data } = await destroy(fleet, made.id, { offline: true, force: true })
  assert.deepEqual([data.retained_on_nodes.length, fleet.pool.commands.length], [1, asked])
  await clear(fleet)
  assert.deepEqual(fleet.residue(), [])
})

test('a newer Instance at the same path stays when the residue is cleared', async () => {
  await using fleet = await startInstancesFleet()
  const { data: made } = await fleet.create()
  await destroy(fleet, made.id, { offline: true, force: true }, silent(fleet))
  const stored = await fleet.store.db.selectFrom('instance_residues').selectAll().executeTakeFirstOrThrow()
  await clear(fleet)
  const { data: newer } = await fleet.create()
  assert.equal(newer.checkout_path, made.checkout_path)
  await fleet.store.db.insertInto('instance_residues').values(stored).execute()
  assert.equal(await clear(fleet), 'applied')
  assert.deepEqual([await residues(fleet), existsSync(newer.checkout_path)], [[], true])
})

test('a residue that cannot be reached or deleted stays recorded', async () => {
  await using fleet = await startInstancesFleet()
  const { data: made } = await fleet.create()
  await destroy(fleet, made.id, { offline: true, force: true }, silent(fleet))
  fleet.pool.failBefore(() => true)
  assert.equal((await refusalOf(clear(fleet))).code, 'node.unreachable')
  assert.equal((await residues(fleet)).length, 1)
})

test('a residue stays recorded while the folder above it is out of sight, and holds up no other', async () => {
  await using fleet = await startInstancesFleet()
  const { data: made } = await fleet.create()
  await destroy(fleet, made.id, { offline: true, force: true }, silent(fleet))
  renameSync(fleet.apps, `${fleet.apps}-unmounted`)
  const [stored] = await fleet.store.db.selectFrom('instance_residues').selectAll().execute()
  assert.ok(stored)
  // Of another apps root, which is there and has nothing of it.
  const elsewhere = join(fleet.home, 'other', 'app', 'feature')
  mkdirSync(join(fleet.home, 'other'))
  const { id: _id, ...values } = stored
  await fleet.store.db
    .insertInto('instance_residues')
    .values({ ...values, checkout_path: elsewhere })
    .execute()
  assert.deepEqual(await clear(fleet), { skipped: 'instance.source_path_mismatch' })
  assert.deepEqual(await residues(fleet), [{ instance_id: made.id, checkout_path: made.checkout_path }])
  renameSync(`${fleet.apps}-unmounted`, fleet.apps)
  assert.equal(await clear(fleet), 'applied')
  assert.deepEqual([await residues(fleet), fleet.residue()], [[], []])
})

test('node:converge of the composed gateway clears residues', async () => {
  await using fleet = await startInstancesFleet()
  const domains = testDomains({ store: fleet.store, ssh: fleet.pool })
  assert.ok(domains.nodeServices.artifacts.some(({ name }) => name === 'instance-residue'))
})
