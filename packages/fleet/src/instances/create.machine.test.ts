import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addNode, addProject, addRole, excludeNode } from '@fleet/testing'
import { git } from '@fleet/testing/git-server'
import { refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'

test('a creation answers the whole active record of a real checkout [INS-001, INS-003, INS-005, INS-010, INS-020, INS-024, NODE-104]', async () => {
  await using fleet = await startInstancesFleet()
  const commit = fleet.git.commit('app', 'main', { 'src/a.txt': 'a\n' })
  const { data, created } = await fleet.create()
  const checkout = join(fleet.home, 'apps', 'app', 'feature')
  assert.equal(created, true)
  assert.deepEqual(data, {
    id: data.id,
    project_id: fleet.project.id,
    node_id: fleet.node.id,
    project: { id: fleet.project.id, name: 'app', slug: 'app', type: 'node-package' },
    node: { id: fleet.node.id, name: fleet.node.name },
    name: 'feature',
    environment: 'development',
    source_layout: 'checkout',
    checkout_path: checkout,
    production_user: null,
    production_home: null,
    root: null,
    effective_root: '.',
    selected_branch: 'feature',
    branch_override: null,
    starting_commit: commit,
    detached: false,
    migration_required: false,
    status: 'active',
    failed_step: null,
    error_code: null,
    route: null,
    domain: null,
    url: null,
    removal: null,
    transfer: null,
    deploy_steps: [],
    vite_port: 15173,
    seed_path: null,
    seed_commit: null,
    creation: 'repository',
    copy_mode: null,
    source_instance: null,
    shared_databases: [],
  })
  assert.equal(readFileSync(join(checkout, 'src/a.txt'), 'utf8'), 'a\n')
  assert.equal(git(checkout, ['status', '--porcelain']), '')
})

test('the directory carries a receipt of the preparation, its device and its inode [INS-053]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const row = await fleet.store.db.selectFrom('instances').selectAll().executeTakeFirstOrThrow()
  const { dev, ino } = statSync(data.checkout_path)
  const receipt = readFileSync(join(data.checkout_path, '.git/orbit/preparation'), 'utf8')
  const [proof, storage, ...more] = receipt.split('\n')
  assert.equal(proof, `${row.preparation_id} ${dev} ${ino}`)
  assert.match(String(storage), /^[0-9a-f]{8,16}$/)
  assert.deepEqual(more, [''])
})

test('the stored apps path wins over the home, and a later change moves nothing [NODE-104, NODE-105]', async () => {
  await using fleet = await startInstancesFleet()
  const apps = join(fleet.home, 'elsewhere')
  await fleet.store.db.updateTable('nodes').set({ apps_path: apps }).execute()
  const { data } = await fleet.create()
  assert.equal(data.checkout_path, join(apps, 'app', 'feature'))
  await fleet.store.db.updateTable('nodes').set({ apps_path: null }).execute()
  await fleet.store.db.updateTable('projects').set({ slug: 'renamed' }).execute()
  const { data: shown } = await fleet.domain.handlers['instance:show']({
    call: fleet.call(),
    input: { instance: data.id },
  })
  assert.equal(shown.checkout_path, data.checkout_path)
  assert.equal((await fleet.destroy(data.id)).status, 'completed')
  assert.equal(existsSync(data.checkout_path), false)
})

test('the identical request answers the stored record and asks the Node nothing [INS-024, INS-050]', async () => {
  await using fleet = await startInstancesFleet()
  const first = await fleet.create()
  const asked = fleet.pool.commands.length
  const second = await fleet.create()
  assert.deepEqual(second, { data: first.data, created: false })
  assert.equal(fleet.pool.commands.length, asked)
})

test('a name in use with other values is a placement conflict that names them [INS-051]', async () => {
  await using fleet = await startInstancesFleet()
  await fleet.create()
  const other = await addNode(fleet.store, { user_home: fleet.home })
  for (const given of [{ branch: 'main' }, { root: 'web' }, { node_id: other.id }]) {
    const { code, details } = await refusalOf(fleet.create(given))
    const members = Object.keys(given)
    assert.deepEqual([code, details['members']], ['instance.placement_conflict', members])
  }
})

test('two Instances of a Node have different ports and a freed one is given again [INS-013]', async () => {
  await using fleet = await startInstancesFleet()
  const [one, two] = await Promise.all([fleet.create({ name: 'one' }), fleet.create({ name: 'two' })])
  assert.deepEqual(new Set([one.data.vite_port, two.data.vite_port]), new Set([15173, 15174]))
  await fleet.destroy(one.data.id)
  assert.equal((await fleet.create({ name: 'three' })).data.vite_port, one.data.vite_port)
})

test('every guard refuses before anything is stored or sent [INS-045, INS-057, INS-059, PRJ-054, NODE-118]', async () => {
  await using fleet = await startInstancesFleet()
  const { store } = fleet
  const bare = await addNode(store, { roles: ['database'] })
  const production = await addNode(store, { roles: ['app-prod', 'app-dev'] })
  const inactive = await addNode(store, { status: 'failed' })
  const excluded = await addNode(store)
  const mac = await addNode(store, { platform: 'macos', ssh_host_fingerprint: 'SHA256:x' })
  await excludeNode(store, fleet.project, excluded)
  const incomplete = await addProject(store, { default_branch: null })
  const rootless = await addProject(store, { root: null })
  const served = await addProject(store, { type: 'laravel-app', root: 'public' })
  const cases = [
    [{ project_id: 999 }, 'project.not_found', 404],
    [{ node_id: 999 }, 'node.not_found', 404],
    [{ project_id: incomplete.id }, 'project.source_defaults_incomplete', 409],
    [{ project_id: rootless.id }, 'project.source_defaults_incomplete', 409],
    [{ node_id: inactive.id }, 'instance.node_inactive', 409],
    [{ node_id: production.id }, 'instance.candidate_required', 409],
    [{ node_id: bare.id }, 'instance.node_not_app_dev', 409],
    [{ node_id: mac.id }, 'instance.node_not_app_dev', 409],
    [{ node_id: excluded.id }, 'instance.node_excluded', 409],
    [{ project_id: served.id }, 'node.capability_missing', 409],
    [{ domain: 'app.test' }, 'node.capability_missing', 409],
    [{ domain: 'a b' }, 'route.domain_invalid', 422],
    [{ root: '../up' }, 'validation.failed', 422],
    [{ branch: 'a..b' }, 'validation.failed', 422],
  ] as const
  for (const [given, code, status] of cases) {
    const refusal = await refusalOf(fleet.create(given))
    assert.deepEqual([refusal.code, refusal.status], [code, status])
  }
  assert.deepEqual(fleet.pool.commands, [])
  assert.deepEqual(await store.db.selectFrom('instances').selectAll().execute(), [])
  await assert.rejects(fleet.create({ node_id: excluded.id }), {
    message: `The Node ${excluded.name} is excluded from development of this Project. To allow it: \`fleet node:excluded-project:remove ${excluded.id} ${fleet.project.id}\`.`,
  })
})

test('a role that is not active does not make an app-dev Node [INS-045]', async () => {
  await using fleet = await startInstancesFleet()
  const node = await addNode(fleet.store, { roles: [] })
  await addRole(fleet.store, { node_id: node.id, role: 'app-dev', status: 'failed' })
  assert.equal((await refusalOf(fleet.create({ node_id: node.id }))).code, 'instance.node_not_app_dev')
})

test('the refusal of a second creation of the name says who holds it, another name is not delayed [GW-043]', async () => {
  await using fleet = await startInstancesFleet()
  const lock = await fleet.store.locks.acquire({
    name: `instance:${fleet.project.id}:feature:lifecycle`,
    operation: 'instance:destroy',
    requestId: 'r-1',
    waitMilliseconds: 0,
    leaseSeconds: 60,
  })
  const { code, details } = await refusalOf(fleet.create())
  assert.equal(code, 'instance.lifecycle_busy')
  assert.equal(details['outcome'], 'busy')
  assert.partialDeepStrictEqual(details['holder'], { operation: 'instance:destroy', request_id: 'r-1' })
  assert.equal((await fleet.create({ name: 'other' })).data.status, 'active')
  await lock[Symbol.asyncDispose]()
  assert.equal((await fleet.create()).data.status, 'active')
})

test('an application that answers nothing is active all the same [INS-054]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', { 'package.json': '{"scripts":{"start":"exit 1"}}' })
  assert.equal((await fleet.create()).data.status, 'active')
})
