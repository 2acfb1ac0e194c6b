import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Died, makeMortal, momentsOf } from '@fleet/testing/death'
import { git } from '@fleet/testing/git-server'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'

const rowsOf = (fleet: InstancesFleet) => fleet.store.db.selectFrom('instances').selectAll().execute()

async function countOneRemoval(fleet: InstancesFleet) {
  const { data } = await fleet.create()
  const life = makeMortal(fleet.store, fleet.pool)
  await fleet.destroy(data.id, false, fleet.rebuild(life))
  return life
}

test('a process that dies anywhere in a removal leaves what the identical request finishes [INS-116, INS-113]', async () => {
  await using fleet = await startInstancesFleet()
  const moments = momentsOf(await countOneRemoval(fleet))
  // Eight writes, of which two are of one transaction, and three commands.
  assert.equal(moments.length, 7 + 3)
  for (const moment of moments) {
    const { data } = await fleet.create()
    const life = makeMortal(fleet.store, fleet.pool, moment)
    await assert.rejects(fleet.destroy(data.id, false, fleet.rebuild(life)), Died, JSON.stringify(moment))
    assert.equal((await fleet.destroy(data.id)).status, 'completed', JSON.stringify(moment))
    assert.deepEqual([await rowsOf(fleet), fleet.residue()], [[], []], JSON.stringify(moment))
  }
})

test('a failed or lost command keeps the progress, says where, and the identical request continues [INS-011, INS-112]', async () => {
  await using fleet = await startInstancesFleet()
  await countOneRemoval(fleet)
  for (const fault of ['failBefore', 'loseReplyOf'] as const) {
    for (const [index, step] of [
      [2, 'source_preparation'],
      [3, 'source_finalization'],
    ] as const) {
      const { data } = await fleet.create()
      fleet.pool[fault](fleet.pool.commands.length + index)
      const { code, details } = await refusalOf(fleet.destroy(data.id))
      assert.equal(code, fault === 'failBefore' ? 'node.unreachable' : 'node.connection_lost')
      fleet.pool.clearFaults()
      const done = step === 'source_preparation' ? 0 : 2
      const show = fleet.domain.handlers['instance:show']
      const { data: shown } = await show({ call: fleet.call(), input: { instance: data.id } })
      assert.equal(shown.status, 'removing')
      assert.deepEqual(details['removal'], shown.removal)
      assert.deepEqual(
        { ...shown.removal, operation_id: '' },
        {
          operation_id: '',
          id: data.id,
          name: 'feature',
          force: false,
          status: 'failed',
          current_step: step,
          total: 5,
          completed: done,
          remaining: 5 - done,
          failed_step: step,
          error_code: code,
        },
      )
      const completed = await fleet.destroy(data.id)
      assert.equal(completed.operation_id, shown.removal?.operation_id)
      assert.deepEqual([await rowsOf(fleet), fleet.residue()], [[], []])
    }
  }
})

test('a command that fails before acceptance leaves the Instance active', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  fleet.pool.failBefore(fleet.pool.commands.length + 1)
  assert.equal((await refusalOf(fleet.destroy(data.id))).code, 'node.unreachable')
  assert.equal((await rowsOf(fleet))[0]?.status, 'active')
})

/** Accepts a removal that fails at its last look at the source. */
async function failAtFinalization(fleet: InstancesFleet, force: boolean) {
  const { data } = await fleet.create()
  const inspections = force ? 2 : 2
  fleet.pool.failBefore(fleet.pool.commands.length + inspections + 1)
  await refusalOf(fleet.destroy(data.id, force))
  fleet.pool.clearFaults()
  return data
}

test('only a removal continues with a removing Instance [INS-021, PRJ-074]', async () => {
  await using fleet = await startInstancesFleet()
  const data = await failAtFinalization(fleet, false)
  assert.equal((await refusalOf(fleet.create())).code, 'instance.lifecycle_conflict')
  const setup = fleet.domain.handlers['instance:setup']({ call: fleet.call(), input: { instance: data.id } })
  assert.equal((await refusalOf(setup)).code, 'instance.setup_unavailable')
  assert.equal((await fleet.destroy(data.id)).status, 'completed')
})

test('work made after a normal removal was accepted stops it, and force gives it up [INS-111, INS-120]', async () => {
  await using fleet = await startInstancesFleet()
  for (const work of [
    (path: string) => writeFileSync(join(path, 'note.txt'), 'n'),
    (path: string) => git(path, ['commit', '--allow-empty', '-m', 'Mine']),
  ]) {
    const data = await failAtFinalization(fleet, false)
    work(data.checkout_path)
    const { code, details } = await refusalOf(fleet.destroy(data.id))
    assert.deepEqual([code, details['reasons']], ['instance.remove_refused', ['changed_since_accepted']])
    const upgraded = await fleet.destroy(data.id, true)
    assert.deepEqual([upgraded.status, upgraded.force], ['completed', true])
    assert.deepEqual(fleet.residue(), [])
  }
})

test('a forced removal is never downgraded [INS-120]', async () => {
  await using fleet = await startInstancesFleet()
  const data = await failAtFinalization(fleet, true)
  assert.equal((await refusalOf(fleet.destroy(data.id))).code, 'instance.removal_conflict')
  assert.equal((await rowsOf(fleet))[0]?.removal_force, 1)
  assert.equal((await fleet.destroy(data.id, true)).status, 'completed')
})

test('a worktree that was linked after a forced removal was accepted stops it [INS-122]', async () => {
  await using fleet = await startInstancesFleet()
  const data = await failAtFinalization(fleet, true)
  git(data.checkout_path, ['worktree', 'add', '-q', '--detach', join(fleet.home, 'linked')])
  assert.equal((await refusalOf(fleet.destroy(data.id, true))).code, 'instance.source_worktrees_mismatch')
  git(data.checkout_path, ['worktree', 'remove', join(fleet.home, 'linked')])
  assert.equal((await fleet.destroy(data.id, true)).status, 'completed')
})
