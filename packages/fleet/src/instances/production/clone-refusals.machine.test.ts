import assert from 'node:assert/strict'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { addInstance, addProject } from '@fleet/testing'
import { git } from '@fleet/testing/git-server'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { makeRemoteGit } from '#/projects/api.ts'
import { cloneWorld } from './clone-world.test.ts'

const commit = (path: string): string => {
  git(path, ['add', '.'])
  return git(path, ['-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '-q', '-m', 'new'])
}

const change = (fleet: InstancesFleet, id: number, values: object) =>
  fleet.store.db.updateTable('instances').set(values).where('id', '=', id).execute()

const codeOf = async (request: Promise<unknown>): Promise<string> => (await refusalOf(request)).code

/** What of a candidate a clone could change: its record, its values and every file of its checkout. */
async function stateOf(fleet: InstancesFleet, { id, path }: { readonly id: number; readonly path: string }) {
  const { db } = fleet.store
  const record = await db.selectFrom('instances').selectAll().where('id', '=', id).executeTakeFirst()
  const values = await db.selectFrom('environment_values').selectAll().where('instance_id', '=', id).execute()
  return [record, values, git(path, ['status', '--porcelain=v2', '--branch']), git(path, ['show-ref'])]
}

test('the identical request resumes an unfinished clone, then returns it; other values are refused, and the candidate stays as it is [INS-106]', async () => {
  await using fleet = await startInstancesFleet()
  const { candidate, clone, destroy, breakHomes, made } = await cloneWorld(fleet)
  const place = { id: candidate.id, path: candidate.checkout_path }
  const before = await stateOf(fleet, place)
  breakHomes(new Error('the Node is gone'))
  await assert.rejects(clone())
  for (const other of [{ preview_name: 'other' }, { branch: 'main' }]) {
    const { code, details } = await refusalOf(clone(other))
    assert.deepEqual([code, details['members']], ['instance.clone_retry_conflict', Object.keys(other)])
  }
  const refused = await refusalOf(destroy(candidate.id, true))
  assert.deepEqual([refused.code, refused.details['clones']], ['instance.clone_in_progress', ['live']])
  breakHomes(undefined)
  const first = await clone()
  assert.deepEqual([first.created, first.data.error_code, made.length], [false, null, 2])
  const again = await clone()
  assert.deepEqual([again.created, again.data, made.length], [false, first.data, 2])
  assert.deepEqual(await stateOf(fleet, place), before)
})

test('a candidate is an active development Instance with a clean, pushed source on its branch; anything else is refused and nothing is stored [INS-104]', async () => {
  await using fleet = await startInstancesFleet()
  const { candidate, clone, made } = await cloneWorld(fleet)
  const path = candidate.checkout_path
  writeFileSync(join(path, 'new.txt'), 'new')
  assert.equal(await codeOf(clone()), 'instance.clone_candidate_dirty')
  commit(path)
  assert.equal(await codeOf(clone()), 'instance.clone_candidate_commit_unavailable')
  git(path, ['checkout', '-q', '-b', 'elsewhere', 'origin/feature'])
  assert.equal(await codeOf(clone()), 'instance.clone_candidate_branch_invalid')
  git(path, ['checkout', '-q', 'feature'])
  git(path, ['reset', '-q', '--hard', 'origin/feature'])
  for (const status of ['reserved', 'source_resolved', 'removing'] as const) {
    await change(fleet, candidate.id, { status })
    const inactive = await refusalOf(clone())
    assert.deepEqual([inactive.code, inactive.details], ['instance.clone_candidate_inactive', { status }])
  }
  await change(fleet, candidate.id, { status: 'active' })
  assert.equal((await fleet.store.db.selectFrom('instances').select('id').execute()).length, 1)
  assert.deepEqual(made, [])
  assert.equal((await clone()).data.status, 'active')
})

test('what a colleague has in another worktree of the repository keeps nobody from cloning, and changes no clone that began [INS-104]', async () => {
  await using fleet = await startInstancesFleet()
  const { candidate, clone, breakHomes } = await cloneWorld(fleet)
  const worktree = `${candidate.checkout_path}-other`
  git(candidate.checkout_path, ['worktree', 'add', '-q', '-b', 'side', worktree])
  breakHomes(new Error('the Node is gone'))
  await assert.rejects(clone())
  breakHomes(undefined)
  writeFileSync(join(worktree, 'new.txt'), 'new')
  commit(worktree)
  writeFileSync(join(worktree, 'new.txt'), 'newer')
  git(worktree, ['stash'])
  assert.equal((await clone()).data.status, 'active')
})

test('a production Instance is a candidate once it has a selected release, whose branch the clone gets [INS-104]', async () => {
  await using fleet = await startInstancesFleet()
  const { clone } = await cloneWorld(fleet)
  const { data } = await clone()
  const again = () => clone({ candidate: data.id, name: 'second' })
  assert.equal(await codeOf(again()), 'instance.clone_candidate_release_missing')
  fleet.git.commit('app', 'stable', { 'b.txt': 'b\n' })
  await change(fleet, data.id, { selected_release: 'r1', deployment_branch: 'stable' })
  const second = await again()
  assert.deepEqual([second.data.status, second.data.selected_branch], ['active', 'stable'])
})

test('a candidate that cannot be read is refused with the reason [INS-109]', async () => {
  await using fleet = await startInstancesFleet()
  const { candidate, clone } = await cloneWorld(fleet)
  const path = candidate.checkout_path
  const { db } = fleet.store
  const setNode = (status: 'active' | 'failed') =>
    db.updateTable('nodes').set({ status }).where('id', '=', fleet.node.id).execute()
  await setNode('failed')
  const unavailable = await refusalOf(clone())
  assert.equal(unavailable.code, 'instance.clone_candidate_unavailable')
  await setNode('active')
  renameSync(path, `${path}.away`)
  assert.equal(await codeOf(clone()), 'instance.clone_candidate_unavailable')
  renameSync(`${path}.away`, path)
  const origin = git(path, ['remote', 'get-url', 'origin']).trim()
  git(path, ['remote', 'set-url', 'origin', 'https://127.0.0.1:1/other.git'])
  assert.equal(await codeOf(clone()), 'instance.clone_candidate_source_invalid')
  git(path, ['remote', 'set-url', 'origin', origin])
  fleet.git.down = true
  assert.equal(await codeOf(clone()), 'instance.clone_candidate_repository_unavailable')
  fleet.git.down = false
  await db
    .updateTable('environment_values')
    .set({ value: 'broken' })
    .where('instance_id', '=', candidate.id)
    .execute()
  assert.equal(await codeOf(clone()), 'instance.clone_candidate_environment_invalid')
})

test('a candidate that changed since the clone began is refused until the clone is removed [INS-109]', async () => {
  await using fleet = await startInstancesFleet()
  const { candidate, clone, breakHomes } = await cloneWorld(fleet)
  breakHomes(new Error('the Node is gone'))
  await assert.rejects(clone())
  breakHomes(undefined)
  const path = candidate.checkout_path
  writeFileSync(join(path, 'new.txt'), 'new')
  commit(path)
  git(path, ['push', '-q', fleet.git.pathOf('app'), 'feature'])
  assert.equal(await codeOf(clone()), 'instance.clone_candidate_changed')

  const { data: live } = await clone({ name: 'base', preview_name: 'base' })
  await change(fleet, live.id, { selected_release: 'r1' })
  breakHomes(new Error('the Node is gone'))
  const second = () => clone({ candidate: live.id, name: 'second' })
  await assert.rejects(second())
  breakHomes(undefined)
  await change(fleet, live.id, { selected_release: 'r2' })
  assert.equal(await codeOf(second()), 'instance.clone_candidate_release_changed')
  await change(fleet, live.id, { selected_release: 'r1' })
  assert.equal((await second()).data.status, 'active')
})

test('the Node, the name and the home of a clone are judged before anything is stored [INS-102, INS-108]', async () => {
  await using fleet = await startInstancesFleet()
  const { candidate, clone, production } = await cloneWorld(fleet)
  const { db } = fleet.store
  assert.equal(await codeOf(clone({ node_id: fleet.node.id })), 'instance.node_not_app_prod')
  assert.equal(await codeOf(clone({ node_id: 999 })), 'node.not_found')
  const setNode = (status: 'active' | 'failed') =>
    db.updateTable('nodes').set({ status }).where('id', '=', production.id).execute()
  await setNode('failed')
  const inactive = await refusalOf(clone())
  assert.deepEqual([inactive.code, inactive.status], ['instance.node_inactive', 409])
  await setNode('active')
  const setPlatform = (platform: 'macos' | 'linux' | null, ssh_host_fingerprint: string | null) =>
    db.updateTable('nodes').set({ platform, ssh_host_fingerprint }).where('id', '=', production.id).execute()
  await setPlatform('macos', 'SHA256:x')
  assert.equal(await codeOf(clone()), 'instance.node_not_app_prod')
  await setPlatform(production.platform, production.ssh_host_fingerprint)
  const taken = await refusalOf(clone({ name: candidate.name }))
  assert.deepEqual(
    [taken.code, taken.status, taken.details],
    ['instance.placement_conflict', 409, { instance_id: candidate.id }],
  )
  // Another Project whose Instance has the home that this clone would get.
  const other = await addProject(fleet.store, { slug: 'other' })
  const home = join(fleet.home, 'homes', 'app-live')
  const { id } = await addInstance(fleet.store, {
    project_id: other.id,
    node_id: production.id,
    name: 'x',
    environment: 'production',
    production_user: production.user,
    production_home: home,
    checkout_path: join(home, 'releases/initial'),
  })
  const placed = await refusalOf(clone())
  assert.deepEqual([placed.code, placed.details['home']], ['instance.production_placement_conflict', home])
  await db.deleteFrom('instances').where('id', '=', id).execute()
  assert.equal(existsSync(home), false)
  assert.equal((await clone()).created, true)
})

test('a branch that the origin lacks is refused before anything is recorded, and the corrected request clones under the same name [GW-027, INS-110]', async () => {
  await using fleet = await startInstancesFleet()
  const gitOfGateway = makeRemoteGit({ GIT_SSL_CAINFO: fleet.git.caFile, GIT_CONFIG_NOSYSTEM: '1' })
  const { clone, made } = await cloneWorld(fleet, { git: gitOfGateway })
  const { db } = fleet.store
  const recorded = async () => [
    await db.selectFrom('instances').select('name').execute(),
    await db.selectFrom('routes').select('domain').execute(),
  ]
  const before = await recorded()
  const { code, status, details } = await refusalOf(clone({ branch: 'nowhere' }))
  assert.deepEqual(
    [code, status, details],
    ['instance.clone_target_branch_missing', 409, { branch: 'nowhere' }],
  )
  assert.deepEqual([await recorded(), made], [before, []])
  assert.equal((await clone()).created, true)
})

test('a Unix user or home that is there already is refused before anything is recorded, and another name gets the preview [GW-027, INS-108]', async () => {
  await using fleet = await startInstancesFleet()
  const { clone, takeHomes } = await cloneWorld(fleet)
  takeHomes(true)
  const names = () => fleet.store.db.selectFrom('instances').select('name').execute()
  const before = await names()
  const { code, status } = await refusalOf(clone())
  assert.deepEqual([code, status], ['instance.production_placement_conflict', 409])
  assert.deepEqual(await names(), before)
  takeHomes(false)
  assert.equal((await clone({ name: 'other' })).created, true)
})

test('a Node that cannot run what the Project defines is refused before anything is recorded [GW-027]', async () => {
  await using fleet = await startInstancesFleet()
  const asked: number[] = []
  const { clone, candidate, made } = await cloneWorld(fleet, {
    instanceDefinitions: {
      requireInstallable: async (_session, projectId) => {
        asked.push(projectId)
        throw fail('node.capability_missing')
      },
      copy: async () => assert.fail('nothing is copied'),
    },
  })
  assert.equal(await codeOf(clone()), 'node.capability_missing')
  assert.deepEqual([asked, made], [[candidate.project_id], []])
  const names = await fleet.store.db.selectFrom('instances').select('name').execute()
  assert.deepEqual(names, [{ name: candidate.name }])
})

test('a branch that the origin lacks and the gateway cannot look for, a step that fails and a candidate that is removed meanwhile have codes of their own [INS-110]', async () => {
  await using fleet = await startInstancesFleet()
  const { candidate, clone, destroy, breakHomes } = await cloneWorld(fleet)
  const missing = await refusalOf(clone({ name: 'other', branch: 'nowhere' }))
  assert.deepEqual(
    [missing.code, missing.details['branch']],
    ['instance.clone_target_branch_missing', 'nowhere'],
  )
  breakHomes(fail('instance.clone_failed'))
  assert.equal(await codeOf(clone()), 'instance.clone_failed')
  breakHomes(new Error('unknown'))
  await assert.rejects(clone())
  const stored = await fleet.store.db
    .selectFrom('instances')
    .select(['failed_step', 'error_code'])
    .where('name', '=', 'live')
    .executeTakeFirst()
  assert.deepEqual(stored, { failed_step: 'home', error_code: 'instance.clone_failed' })
  const removal = await refusalOf(destroy(candidate.id, true))
  assert.deepEqual([removal.code, removal.status], ['instance.clone_in_progress', 409])
  assert.equal(readFileSync(join(candidate.checkout_path, 'src/a.txt'), 'utf8'), 'a\n')
})
