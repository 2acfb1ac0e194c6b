import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'

const rename = (fleet: InstancesFleet, instance: number, branch: string, call = fleet.call()) =>
  fleet.domain.handlers['instance:rename']({ call, input: { instance, branch } })

const rowOf = (fleet: InstancesFleet) =>
  fleet.store.db.selectFrom('instances').selectAll().executeTakeFirstOrThrow()

const branchOf = ({ selected_branch }: { readonly selected_branch: string | null }): string =>
  selected_branch ?? ''

const git = (path: string, ...args: readonly string[]) =>
  execFileSync('git', ['-C', path, ...args], { stdio: 'pipe' })

test('a branch that is checked out becomes that of the Instance, and its origin is not contacted [INS-084]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  git(data.checkout_path, 'switch', '-q', '-c', 'topic/local')
  git(data.checkout_path, 'remote', 'set-url', 'origin', 'https://127.0.0.1:1/nowhere.git')
  const call = fleet.call()
  const { data: renamed } = await rename(fleet, data.id, 'topic/local', call)
  assert.deepEqual(
    [renamed.id, renamed.name, renamed.selected_branch, renamed.branch_override, renamed.checkout_path],
    [data.id, data.name, 'topic/local', 'topic/local', data.checkout_path],
  )
  assert.deepEqual(call.events, [{ type: 'instance.updated', data: renamed }])
  const again = fleet.call()
  assert.deepEqual([(await rename(fleet, data.id, 'topic/local', again)).data, again.events], [renamed, []])
})

test('another branch, a detached HEAD and a directory of somebody else change nothing [INS-084, INS-087]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const before = await rowOf(fleet)
  const elsewhere = await refusalOf(rename(fleet, data.id, 'other'))
  assert.deepEqual(
    [elsewhere.code, elsewhere.status, elsewhere.details],
    ['instance.branch_not_checked_out', 409, { branch: 'other', head: `refs/heads/${data.selected_branch}` }],
  )
  git(data.checkout_path, 'switch', '-q', '--detach')
  const detached = await refusalOf(rename(fleet, data.id, branchOf(data)))
  assert.deepEqual(
    [detached.code, detached.details],
    ['instance.branch_not_checked_out', { branch: data.selected_branch }],
  )
  for (const branch of ['a..b', '-x'])
    assert.equal((await refusalOf(rename(fleet, data.id, branch))).code, 'validation.failed')
  git(data.checkout_path, 'switch', '-q', branchOf(data))
  execFileSync('rm', [`${data.checkout_path}/.git/orbit/preparation`])
  const found = async () => {
    const { code, status } = await refusalOf(rename(fleet, data.id, branchOf(data)))
    return [code, status]
  }
  assert.deepEqual(await found(), ['instance.source_ownership_mismatch', 409])
  execFileSync('mv', [`${data.checkout_path}/.git`, `${data.checkout_path}/git`])
  assert.deepEqual(await found(), ['instance.source_path_mismatch', 409])
  execFileSync('rm', ['-r', data.checkout_path])
  assert.deepEqual(await found(), ['instance.source_path_mismatch', 409])
  execFileSync('mv', [fleet.apps, `${fleet.apps}-away`])
  await assert.rejects(rename(fleet, data.id, branchOf(data)), {
    code: 'instance.source_path_mismatch',
    message: /on a disk that is not mounted/,
  })
  assert.deepEqual(await rowOf(fleet), before)
})

test('only an active development Instance with a checkout of its own is renamed, by one request at a time [INS-083, INS-087]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const { db, locks } = fleet.store
  const refused = { code: 'instance.rename_unavailable', status: 409 }
  for (const [values, back] of [
    [{ source_layout: 'worktree' }, { source_layout: 'checkout' }],
    [{ environment: 'production' }, { environment: 'development' }],
    [{ status: 'source_resolved' }, { status: 'active' }],
  ] as const) {
    await db.updateTable('instances').set(values).execute()
    await assert.rejects(rename(fleet, data.id, branchOf(data)), refused, JSON.stringify(values))
    await db.updateTable('instances').set(back).execute()
  }
  await db.updateTable('nodes').set({ status: 'failed' }).where('id', '=', fleet.node.id).execute()
  await assert.rejects(rename(fleet, data.id, branchOf(data)), { code: 'node.not_active' })
  await db.updateTable('nodes').set({ status: 'active' }).where('id', '=', fleet.node.id).execute()
  {
    await using _held = await locks.acquire({
      name: `instance:${fleet.project.id}:feature:lifecycle`,
      operation: 'instance:setup',
      requestId: '00000000-0000-4000-8000-000000000001',
      waitMilliseconds: 0,
      leaseSeconds: 60,
    })
    await assert.rejects(rename(fleet, data.id, branchOf(data)), { code: 'instance.lifecycle_busy' })
  }
  await rename(fleet, data.id, branchOf(data))
})
