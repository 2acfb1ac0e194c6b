import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Deadline, systemClock } from '@fleet/kernel'
import { deploymentPhases } from '@fleet/contract'
import { ClientGone } from '#/work/api.ts'
import { momentsOf } from '@fleet/testing/death'
import { startWorld, sweep } from '#/deployments/world.test.ts'

const DEPLOYED = deploymentPhases.filter((phase) => phase !== 'rollback')

const BEGUN = Buffer.from('begun\n').toString('base64')

for (const phase of DEPLOYED)
  test(`a client that goes away in ${phase} cancels the deployment; its row ends as the Node says, and nothing is rolled back [DEPL-025, DEPL-027]`, async () => {
    await using world = await startWorld()
    world.php.has = true
    await world.deploy()
    const [before = ''] = world.releases()
    await world.steps(
      { name: 'one', command: 'true' },
      { name: 'two', command: 'true', phase: 'after_activation' },
    )
    const gone = new AbortController()
    const ran = await world.deploy({
      call: {
        signal: gone.signal,
        emit: async (line) => {
          if (JSON.stringify(line).includes(`"phase":"${phase}"`)) gone.abort(new ClientGone())
        },
      },
    })
    assert.equal(ran.failure, 'deployment.cancelled')
    assert.equal(ran.phases.at(-1), phase)
    const { release } = await world.row()
    const isNew = DEPLOYED.indexOf(phase) > DEPLOYED.indexOf('activation')
    assert.equal(ran.result.selected_release, isNew ? release : before, 'the result says what is served')
    await sweep(world)
    const row = await world.row()
    assert.equal(row.selected_release, isNew ? release : before)
    assert.equal(world.current(), `releases/${row.selected_release}`)
    assert.equal((await world.stored()).selected_release, row.selected_release)
    const isDone = phase === 'cleanup'
    assert.deepEqual(
      [row.status, row.error_code],
      isDone ? ['succeeded', null] : ['failed', 'deployment.cancelled'],
    )
    assert.equal((await world.deploy()).result.status, 'succeeded')
    assert.ok(world.releases().length <= 3)
  })

test('a gateway that stops interrupts a deployment, which its client has not cancelled; its row ends as the Node says', async () => {
  await using world = await startWorld()
  await world.deploy()
  const [before = ''] = world.releases()
  const closing = new AbortController()
  await world.steps({ name: 'long', command: 'echo begun; sleep 20' })
  const ran = await world.deploy({
    call: {
      signal: closing.signal,
      emit: async (line) => {
        if (JSON.stringify(line).includes('"output"')) closing.abort()
      },
    },
  })
  assert.deepEqual([ran.failure, ran.result.error_code], ['deployment.interrupted', 'deployment.interrupted'])
  assert.equal(ran.printed, 'begun\n')
  assert.equal((await world.row()).status, 'running')
  await sweep(world)
  const { status, failed_step, error_code, selected_release } = await world.row()
  assert.deepEqual(
    [status, failed_step, error_code, selected_release],
    ['failed', 'before_activation', 'deployment.interrupted', before],
  )
  assert.deepEqual(world.releases(), [before])
})

test('a step that runs while the client goes away is ended [DEPL-025]', async () => {
  await using world = await startWorld()
  const mark = join(world.fleet.home, 'mark')
  await world.steps({ name: 'long', command: `echo begun; sleep 20; touch ${mark}` })
  const gone = new AbortController()
  const ran = await world.deploy({
    call: {
      signal: gone.signal,
      emit: async (line) => {
        if (JSON.stringify(line).includes('"output"')) gone.abort(new ClientGone())
      },
    },
  })
  assert.equal(ran.failure, 'deployment.cancelled')
  assert.deepEqual(ran.call.notes.properties, { deployment: (await world.row()).id })
  assert.equal(existsSync(mark), false)
  await sweep(world)
  assert.deepEqual([(await world.row()).failed_step, world.releases()], ['before_activation', []])
})

test('a deployment that is settled after the clock was set back lasted no less than nothing', async () => {
  await using world = await startWorld()
  await world.deploy()
  const running = { status: 'running', started_at: '2099-01-01T00:00:00.000Z', finished_at: null } as const
  await world.store.db.updateTable('deployments').set(running).execute()
  await sweep(world)
  const { status, duration_ms } = await world.row()
  assert.deepEqual([status, duration_ms], ['succeeded', 0])
})

test('a gateway killed at any command of a deployment leaves the old world or the new one, and its row ends truthfully', async () => {
  await using world = await startWorld()
  await world.steps({ name: 'one', command: 'true' })
  await world.deploy()
  const deps = { store: world.store, ssh: world.fleet.pool }
  const counted = world.mortal(deps)
  await world.deploy({ domain: counted.domains.deployments })
  for (const moment of momentsOf(counted.mortal)) {
    const { domains } = world.mortal(deps, moment)
    await assert.rejects(world.deploy({ domain: domains.deployments }), { name: 'Died' })
    await world.store.db.deleteFrom('locks').execute()
    await sweep(world)
    const row = await world.row()
    const seen = JSON.stringify(moment)
    assert.notEqual(row.status, 'running', seen)
    assert.equal(world.current(), `releases/${row.selected_release}`, seen)
    assert.ok(existsSync(join(world.home, 'current/README.md')), seen)
  }
  assert.equal((await world.deploy()).result.status, 'succeeded')
})

test('a gateway killed at any command of a rollback leaves one of both releases, and its row ends truthfully; the identical request finishes it', async () => {
  await using world = await startWorld()
  world.php.has = true
  await world.deploy()
  await world.deploy()
  const [first = '', second = ''] = world.releases()
  const deps = { store: world.store, ssh: world.fleet.pool }
  const counted = world.mortal(deps)
  await world.rollback(first, { domain: counted.domains.deployments })
  const moments = momentsOf(counted.mortal)
  assert.ok(moments.length >= 7, `${moments.length} moments`)
  const served = new Set<string | null>()
  for (const moment of moments) {
    const seen = JSON.stringify(moment)
    assert.equal((await world.rollback(second)).result.selected_release, second, seen)
    const { domains } = world.mortal(deps, moment)
    await assert.rejects(world.rollback(first, { domain: domains.deployments }), { name: 'Died' })
    await world.store.db.deleteFrom('locks').execute()
    await sweep(world)
    const row = await world.row()
    served.add(row.selected_release)
    assert.notEqual(row.status, 'running', seen)
    assert.equal(world.current(), `releases/${row.selected_release}`, seen)
    assert.equal((await world.stored()).selected_release, row.selected_release, seen)
    assert.equal((await world.rollback(first)).result.status, 'succeeded', seen)
    assert.deepEqual(
      [world.current(), world.php.refreshed.at(-1)],
      [`releases/${first}`, `releases/${first}`],
    )
  }
  assert.deepEqual(served, new Set([second, first]), 'it died before and after the switch')
  assert.deepEqual(world.releases(), [first, second])
})

test('what a step has printed is in the record while it runs, also when nothing comes after it', async () => {
  await using world = await startWorld()
  const mark = join(world.fleet.home, 'mark')
  await world.steps({ name: 'waits', command: `echo begun; while [ ! -e ${mark} ]; do sleep 0.05; done` })
  const running = world.deploy()
  const isStored = async () =>
    (await world.rows()).some(({ events }) => JSON.stringify(events).includes(BEGUN))
  while (!(await isStored())) await systemClock.sleep(20)
  writeFileSync(mark, '')
  assert.equal((await running).printed, 'begun\n')
})

test('a deployment ends with the time of its request, and its release is deleted in what is kept for that [DEPL-024, GW-034]', async () => {
  await using world = await startWorld()
  await world.steps({ name: 'long', command: 'sleep 30', timeout_seconds: 900 })
  const ran = await world.deploy({ call: { deadline: new Deadline(systemClock, 18, 12) } })
  assert.deepEqual(
    [ran.result.failed_step, ran.result.error_code],
    ['before_activation', 'deployment.deadline_exceeded'],
  )
  assert.deepEqual(world.releases(), [])
})

test('a step that kills its parent has failed at once, not when its time is over', async () => {
  await using world = await startWorld()
  await world.steps({ name: 'kills', command: 'kill -KILL $PPID; sleep 600', timeout_seconds: 900 })
  const ran = await world.deploy({ call: { deadline: new Deadline(systemClock, 25, 6) } })
  assert.deepEqual(
    [ran.result.failed_step, ran.result.error_code],
    ['before_activation', 'deployment.step_failed'],
  )
})

test('a step has its own time, and its processes end with it', async () => {
  await using world = await startWorld()
  const file = join(world.fleet.home, 'ticks')
  writeFileSync(file, '')
  await world.steps({
    name: 'hangs',
    command: `(while :; do echo . >>${file}; sleep 0.2; done) & sleep 60`,
    timeout_seconds: 1,
  })
  const ran = await world.deploy()
  assert.equal(ran.result.error_code, 'deployment.step_timeout')
  const size = readFileSync(file).length
  await systemClock.sleep(600)
  assert.equal(readFileSync(file).length, size)
  await world.steps({ name: 'missing', command: 'exec /nowhere/program' })
  assert.equal((await world.deploy()).result.error_code, 'deployment.step_unavailable')
})
