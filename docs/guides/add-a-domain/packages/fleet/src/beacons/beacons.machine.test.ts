import assert from 'node:assert/strict'
import { testStepList } from '@fleet/steps/testing'
import { asCaller, fakeCall, forEachDialect, startServiceFleet } from '@fleet/testing'
import { beaconCreation } from '#/beacons/steps/creation.ts'

const UNIT = 'fleet-beacon-web.service'
const WEB = { name: 'web', interval_seconds: 5 }

forEachDialect('a beacon runs, is found by an exact repeat and by reads, and goes', async (dialect) => {
  await using fleet = await startServiceFleet(dialect)
  const { 'beacon:create': create, 'beacon:destroy': destroy, ...reads } = fleet.domains.beacons.handlers
  const call = fakeCall({ caller: asCaller(fleet.node) })
  const stranger = fakeCall({ caller: { ...asCaller(fleet.node), id: 99 } })
  const one = { call, input: { node: fleet.node.id, name: 'web' } }
  await assert.rejects(reads['beacon:show'](one), { code: 'beacon.not_found' })
  const { data, created } = await create({ call, input: { ...one.input, ...WEB } })
  assert.deepEqual([created, data], [true, { id: data.id, node_id: fleet.node.id, ...WEB, status: 'active' }])
  assert.match(fleet.host.read(`etc/systemd/system/${UNIT}`) ?? '', /sleep 5;/)
  assert.equal((await create({ call, input: { ...one.input, ...WEB } })).created, false)
  const other = create({ call, input: { ...one.input, interval_seconds: 9 } })
  await assert.rejects(other, { code: 'beacon.conflict' })
  assert.deepEqual((await reads['beacon:list']({ call, input: {} })).data, [data])
  assert.deepEqual((await reads['beacon:list']({ call: stranger, input: {} })).data, [])
  fleet.host.systemd.stick(UNIT)
  await assert.rejects(destroy(one), { code: 'beacon.service_failed' })
  assert.equal((await reads['beacon:show'](one)).data.status, 'removing')
  fleet.host.systemd.clearFaults()
  await destroy(one)
  assert.equal(fleet.host.systemd.isActive(UNIT), false)
  await assert.rejects(destroy(one), { code: 'beacon.not_found' })
})

testStepList('beacon-creation', {
  list: beaconCreation,
  fresh: async () => {
    const fleet = await startServiceFleet()
    const { deps, session, node } = fleet
    return { fleet, deps, session, beacon: { node_id: node.id, ...WEB, status: 'creating' as const } }
  },
  view: async ({ deps, fleet }) => [
    await deps.store.db.selectFrom('beacons').select(['name', 'status']).execute(),
    fleet.host.systemd.isActive(UNIT),
    fleet.host.read(`etc/systemd/system/${UNIT}`),
  ],
  close: ({ fleet }) => fleet[Symbol.asyncDispose](),
})
