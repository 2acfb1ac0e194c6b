import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Died, makeMortal, momentsOf } from '@fleet/testing/death'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'

const rowsOf = (fleet: InstancesFleet) => fleet.store.db.selectFrom('instances').selectAll().execute()
const namesIn = (fleet: InstancesFleet): readonly string[] => readdirSync(join(fleet.apps, 'app')).toSorted()

async function countOneCreation(fleet: InstancesFleet) {
  const life = makeMortal(fleet.store, fleet.pool)
  const { data } = await fleet.create({ name: 'counted' }, fleet.rebuild(life))
  await fleet.destroy(data.id)
  return life
}

test('a process that dies anywhere in a creation leaves what the identical request finishes [INS-017, INS-018, INS-019, INS-050]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', { '.env.example': 'A=1\n' })
  const moments = momentsOf(await countOneCreation(fleet))
  // Before each of four writes and four commands; a write comes last.
  assert.equal(moments.length, 4 + 4)
  for (const [index, moment] of moments.entries()) {
    const name = `c${index}`
    const life = makeMortal(fleet.store, fleet.pool, moment)
    await assert.rejects(fleet.create({ name }, fleet.rebuild(life)), Died, JSON.stringify(moment))
    const { data } = await fleet.create({ name })
    assert.equal(data.status, 'active', JSON.stringify(moment))
  }
  assert.deepEqual(namesIn(fleet), moments.map((_, index) => `c${index}`).toSorted())
  assert.equal((await rowsOf(fleet)).length, moments.length)
})

test('a failed or lost command takes the attempt back at once, and the identical request begins anew [INS-052]', async () => {
  await using fleet = await startInstancesFleet()
  const commands = (await countOneCreation(fleet)).commands()
  for (const fault of ['failBefore', 'loseReplyOf'] as const) {
    for (let index = 1; index <= commands; index += 1) {
      const at = fleet.pool.commands.length + index
      fleet.pool[fault](at)
      const { code, details } = await refusalOf(fleet.create())
      const expected = fault === 'failBefore' ? 'node.unreachable' : 'node.connection_lost'
      assert.deepEqual([code, details['cleanup']], [expected, undefined], `${fault} ${index}`)
      assert.deepEqual([await rowsOf(fleet), fleet.residue()], [[], []], `${fault} ${index}`)
      fleet.pool.clearFaults()
    }
  }
  assert.equal((await fleet.create()).data.status, 'active')
})

test('a Node that stays away leaves a record that says so and is finished by the identical request [INS-016, INS-052]', async () => {
  await using fleet = await startInstancesFleet()
  const commands = (await countOneCreation(fleet)).commands()
  for (let index = 2; index <= commands; index += 1) {
    const name = `n${index}`
    const from = fleet.pool.commands.length + index
    fleet.pool.failBefore(() => fleet.pool.commands.length >= from)
    const { code, details } = await refusalOf(fleet.create({ name }))
    assert.deepEqual([code, details['cleanup']], ['node.unreachable', 'incomplete'])
    const row = (await rowsOf(fleet)).find((stored) => stored.name === name)
    assert.deepEqual([row?.status, row?.error_code], ['reserved', 'node.unreachable'])
    assert.equal(row?.failed_step, index === 2 ? 'source' : 'profile')
    fleet.pool.clearFaults()
    const { data, created } = await fleet.create({ name })
    assert.deepEqual([data.status, data.error_code, data.failed_step, created], ['active', null, null, false])
  }
  assert.deepEqual(namesIn(fleet), ['n2', 'n3', 'n4'])
})

test('an unreachable Node at the first command leaves no record [INS-052]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.pool.failBefore(() => true)
  const { code, details } = await refusalOf(fleet.create())
  assert.deepEqual([code, details['cleanup']], ['node.unreachable', undefined])
  assert.deepEqual(await rowsOf(fleet), [])
  assert.equal(fleet.pool.commands.length, 1)
})

test('a process that dies during the clean-up leaves what the identical request finishes [INS-052]', async () => {
  await using fleet = await startInstancesFleet()
  await countOneCreation(fleet)
  for (const [index, moment] of [
    { beforeCommand: 3 },
    { afterCommand: 3 },
    { beforeWrite: 3 },
    { beforeWrite: 4 },
  ].entries()) {
    fleet.git.down = true
    const name = `d${index}`
    const life = makeMortal(fleet.store, fleet.pool, moment)
    await assert.rejects(fleet.create({ name }, fleet.rebuild(life)))
    fleet.git.down = false
    assert.equal((await fleet.create({ name })).data.status, 'active')
  }
  assert.deepEqual(namesIn(fleet), ['d0', 'd1', 'd2', 'd3'])
})

test('an unfinished creation that asks for other values is a conflict [INS-051]', async () => {
  await using fleet = await startInstancesFleet()
  const life = makeMortal(fleet.store, fleet.pool, { beforeCommand: 2 })
  await assert.rejects(fleet.create({}, fleet.rebuild(life)), Died)
  assert.equal((await refusalOf(fleet.create({ branch: 'main' }))).code, 'instance.placement_conflict')
})
