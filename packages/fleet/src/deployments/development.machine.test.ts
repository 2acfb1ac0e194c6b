import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addStep, fakeCall, testDomains } from '@fleet/testing'
import { startInstancesFleet } from '@fleet/testing/instances-fleet'

async function startDefault() {
  const fleet = await startInstancesFleet()
  const { data: instance } = await fleet.create({ name: 'default' })
  const { handlers, workKinds } = testDomains({ store: fleet.store, ssh: fleet.pool }).deployments
  const kind = (name: string) => workKinds.find((known) => known.name === name) ?? assert.fail(name)
  return {
    fleet,
    instance,
    kind,
    at: (path: string) => join(instance.checkout_path, path),
    deploy: async () => {
      const call = fakeCall()
      const { data } = await handlers['instance:deploy']({ call, input: { instance: instance.id } })
      assert.equal(data.type, 'result')
      return { result: data.type === 'result' ? data : assert.fail(), call }
    },
    rows: () => fleet.store.db.selectFrom('deployments').selectAll().orderBy('id').execute(),
    /** One minute passes: the tick, and the work that it adds. */
    minute: async () => {
      await kind('deployment:watch').run(fakeCall(), null)
      const due = await fleet.store.db
        .selectFrom('work')
        .selectAll()
        .where('kind', '=', 'deployment:run')
        .execute()
      await fleet.store.db.deleteFrom('work').execute()
      for (const { payload } of due)
        await kind('deployment:run').run(fakeCall({ caller: undefined }), JSON.parse(payload))
      return due.length
    },
    step: (position: number, given: { readonly command: string; readonly required?: 0 | 1 }) =>
      addStep(fleet.store, { project_id: fleet.project.id, list: 'dev-deploy', position, ...given }),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

test('default is deployed in its checkout: its steps run there and its environment is not written [ENV-060]', async () => {
  await using world = await startDefault()
  writeFileSync(world.at('.env'), 'A=1\n')
  const before = statSync(world.at('.env')).mtimeMs
  const commit = world.fleet.git.commit('app', 'main', { 'new.txt': 'new' })
  await world.step(1, { command: 'cat new.txt >built.txt' })
  await world.fleet.store.db.updateTable('project_steps').set({ name: 'build' }).execute()
  const { result } = await world.deploy()
  assert.deepEqual([result.status, result.error_code], ['succeeded', null])
  assert.equal(readFileSync(world.at('built.txt'), 'utf8'), 'new')
  assert.equal(statSync(world.at('.env')).mtimeMs, before)
  assert.deepEqual(
    (await world.rows()).map((row) => [row.branch, row.commit_id, row.release, row.triggered_by]),
    [['main', commit, null, 'gateway']],
  )
})

test('a step that may fail does not fail the deployment, and one that must not does [DEPL-009]', async () => {
  await using world = await startDefault()
  await world.step(1, { command: 'exit 1', required: 0 })
  await world.step(2, { command: 'touch ../second' })
  assert.equal((await world.deploy()).result.status, 'succeeded')
  assert.ok(existsSync(world.at('../second')))
  await world.step(3, { command: 'exit 1' })
  const { result } = await world.deploy()
  assert.deepEqual([result.failed_step, result.error_code], ['after_activation', 'deployment.step_failed'])
})

test('work in the checkout is never overwritten', async () => {
  await using world = await startDefault()
  writeFileSync(world.at('README.md'), 'mine')
  world.fleet.git.commit('app', 'main', { 'README.md': 'theirs' })
  const { result } = await world.deploy()
  assert.deepEqual([result.failed_step, result.error_code], ['preparation', 'deployment.source_dirty'])
  assert.equal(readFileSync(world.at('README.md'), 'utf8'), 'mine')
})

test('a new commit of the branch is deployed once within a minute, by the schedule, after a first deployment by a person [DEPL-031, DEPL-033]', async () => {
  await using world = await startDefault()
  world.fleet.git.commit('app', 'main', { 'a.txt': '1' })
  assert.equal(await world.minute(), 0, 'nobody has deployed it')
  await world.deploy()
  assert.equal(await world.minute(), 0, 'nothing is new')
  const commit = world.fleet.git.commit('app', 'main', { 'a.txt': '2' })
  assert.equal(await world.minute(), 1)
  const latest = (await world.rows()).at(-1)
  assert.deepEqual(
    [latest?.triggered_by, latest?.commit_id, latest?.status],
    ['schedule', commit, 'succeeded'],
  )
  assert.equal(readFileSync(world.at('a.txt'), 'utf8'), '2')
  writeFileSync(world.at('a.txt'), 'mine')
  world.fleet.git.commit('app', 'main', { 'a.txt': '3' })
  assert.equal(await world.minute(), 1)
  assert.equal((await world.rows()).at(-1)?.status, 'failed')
  assert.equal(await world.minute(), 0, 'a commit is tried once')
  world.fleet.git.down = true
  assert.equal(await world.minute(), 0)
})
