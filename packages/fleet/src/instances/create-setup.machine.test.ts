import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CodedError, Deadline, systemClock } from '@fleet/kernel'
import { addStep } from '@fleet/testing'
import { Died, makeMortal } from '@fleet/testing/death'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'

const rowOf = (fleet: InstancesFleet) => fleet.store.db.selectFrom('instances').selectAll().executeTakeFirst()

const steps = async (fleet: InstancesFleet, setup: string, teardown = 'true'): Promise<void> => {
  await addStep(fleet.store, { project_id: fleet.project.id, position: 1, command: setup })
  await addStep(fleet.store, {
    project_id: fleet.project.id,
    position: 1,
    list: 'teardown',
    name: 't1',
    command: teardown,
  })
  await addStep(fleet.store, {
    project_id: fleet.project.id,
    position: 2,
    list: 'teardown',
    name: 't2',
    command: `echo $PWD >> ${join(fleet.home, 'torn')}`,
  })
}

test('setup runs once the Instance is active, and a success leaves no mark [INS-049, PRJ-067]', async () => {
  await using fleet = await startInstancesFleet()
  const proof = join(fleet.home, 'proof')
  await steps(fleet, `echo "$PWD" >> ${proof}`)
  const { data } = await fleet.create()
  assert.deepEqual([data.status, data.failed_step, data.error_code], ['active', null, null])
  assert.equal(readFileSync(proof, 'utf8'), `${data.checkout_path}\n`)
  assert.deepEqual(
    fleet.pool.executed.map((shown) => shown.split("'")[1]),
    ['prepare checkout', 'resolve source', 'examine source', 'provision environment', 'run lifecycle step'],
  )
  await fleet.create()
  assert.equal(readFileSync(proof, 'utf8'), `${data.checkout_path}\n`)
})

test('whoever watches sees the steps of a creation, the commands of the Project and the steps of its removal', async () => {
  await using fleet = await startInstancesFleet()
  await steps(fleet, 'exit 9', 'exit 1')
  const call = fleet.call()
  const input = { project_id: fleet.project.id, node_id: fleet.node.id, name: 'feature' }
  await assert.rejects(fleet.domain.handlers['instance:create']({ call, input }))
  const both = (...names: readonly string[]) => names.flatMap((name) => [`${name} started`, `${name} done`])
  assert.deepEqual(call.steps, [
    ...both('prepare', 'source', 'profile'),
    'setup:step-1 started',
    'setup:step-1 failed',
    'teardown:t1 started',
    'teardown:t1 failed',
    ...both('teardown:t2'),
    ...both(
      'source_preparation',
      'route_target_clear',
      'source_finalization',
      'runtime_cleanup',
      'row_deletion',
    ),
  ])
})

test('a failed setup runs every teardown step, removes the Instance and answers its own code [PRJ-068, PRJ-069]', async () => {
  await using fleet = await startInstancesFleet()
  await steps(fleet, 'touch made; exit 9', 'exit 1')
  const { code, details } = await refusalOf(fleet.create())
  assert.equal(code, 'instance.setup_step_failed')
  assert.deepEqual([details['step'], details['exit_code'], details['cleanup']], ['step-1', 9, undefined])
  assert.equal(readFileSync(join(fleet.home, 'torn'), 'utf8'), `${join(fleet.apps, 'app', 'feature')}\n`)
  assert.equal(await rowOf(fleet), undefined)
  assert.deepEqual(fleet.residue(), [])
})

test('an unconfirmed step keeps the Instance with setup marked failed, publishes it and runs no teardown [PRJ-070, EV-026]', async () => {
  await using fleet = await startInstancesFleet()
  await steps(fleet, 'true')
  fleet.pool.loseReplyOf((shown) => shown.includes('lifecycle'))
  const call = fleet.call()
  const input = { project_id: fleet.project.id, node_id: fleet.node.id, name: 'feature' }
  const { code, details } = await refusalOf(fleet.domain.handlers['instance:create']({ call, input }))
  assert.deepEqual([code, details['outcome']], ['instance.setup_step_failed', 'unconfirmed'])
  assert.deepEqual(
    call.published.map(({ type, data }) => [type, Object(data).name, Object(data).failed_step]),
    [['instance.created', 'feature', 'setup']],
  )
  const row = await rowOf(fleet)
  assert.deepEqual([row?.status, row?.failed_step, row?.error_code], ['active', 'setup', code])
  assert.equal(existsSync(join(fleet.home, 'torn')), false)
})

test('an unconfirmed teardown keeps the Instance and says so [PRJ-070]', async () => {
  await using fleet = await startInstancesFleet()
  await steps(fleet, 'exit 2')
  const later = { seen: 0 }
  fleet.pool.loseReplyOf((shown) => shown.includes('lifecycle') && ++later.seen > 1)
  const { code, details } = await refusalOf(fleet.create())
  assert.deepEqual([code, details['cleanup']], ['instance.setup_step_failed', 'unconfirmed'])
  const row = await rowOf(fleet)
  assert.deepEqual([row?.status, row?.failed_step], ['active', 'setup'])
})

test('a removal that cannot finish keeps the record, and destroy continues with it [PRJ-070]', async () => {
  await using fleet = await startInstancesFleet()
  await steps(fleet, 'exit 2')
  fleet.pool.failBefore((shown) => shown.includes('discard'))
  const { code, details } = await refusalOf(fleet.create())
  assert.deepEqual([code, details['cleanup']], ['instance.setup_step_failed', 'incomplete'])
  const row = await rowOf(fleet)
  assert.deepEqual([row?.status, row?.failed_step, row?.removal_status], ['removing', 'setup', 'failed'])
  fleet.pool.clearFaults()
  assert.equal((await fleet.destroy(row?.id ?? 0, true)).status, 'completed')
  assert.deepEqual(fleet.residue(), [])
})

test('a setup cut by the deadline leaves 150 s to take it back and answers 504 [PRJ-071, PRJ-072]', async () => {
  await using fleet = await startInstancesFleet()
  await steps(fleet, 'sleep 300')
  const deadline = new Deadline(systemClock, 155, 20)
  const input = { project_id: fleet.project.id, node_id: fleet.node.id, name: 'feature' }
  const request = fleet.domain.handlers['instance:create']({ call: fleet.call({ deadline }), input })
  const { code, details } = await refusalOf(request)
  assert.deepEqual(
    [code, details['step'], details['outcome']],
    ['command.deadline_exceeded', 'step-1', 'deadline'],
  )
  assert.ok(deadline.remainingMilliseconds() > 140_000)
  assert.deepEqual([await rowOf(fleet), fleet.residue()], [undefined, []])
})

test('a process that dies during setup leaves an active Instance that says so, and the identical creation runs only what is left [INS-016, INS-020, INS-050]', async () => {
  await using fleet = await startInstancesFleet()
  const proof = join(fleet.home, 'proof')
  for (const [at, name] of ['one', 'two', 'three'].entries())
    await addStep(fleet.store, {
      project_id: fleet.project.id,
      position: at + 1,
      name,
      command: `echo ${name} >> ${proof}`,
    })
  // The first step has run and is recorded, the second was never sent.
  const life = makeMortal(fleet.store, fleet.pool, { beforeCommand: 6 })
  await assert.rejects(fleet.create({}, fleet.rebuild(life)), Died)
  const row = await rowOf(fleet)
  assert.deepEqual(
    [row?.status, row?.failed_step, row?.error_code, row?.setup_done],
    ['active', 'setup', null, ['one']],
  )
  assert.equal(readFileSync(proof, 'utf8'), 'one\n')
  const { data, created } = await fleet.create()
  assert.deepEqual([created, data.status, data.failed_step, data.error_code], [false, 'active', null, null])
  assert.equal(readFileSync(proof, 'utf8'), 'one\ntwo\nthree\n')
  const after = await rowOf(fleet)
  assert.deepEqual([after?.setup, after?.setup_done], [null, null])
  await fleet.create()
  assert.equal(readFileSync(proof, 'utf8'), 'one\ntwo\nthree\n')
})

/** The gateway dies in the first setup step; the Instance is active, and the list fails from now on. */
async function interrupted(fleet: InstancesFleet): Promise<string> {
  await steps(fleet, `exit 9`)
  const life = makeMortal(fleet.store, fleet.pool, { beforeCommand: 5 })
  await assert.rejects(fleet.create({}, fleet.rebuild(life)), Died)
  const row = await rowOf(fleet)
  assert.equal(row?.status, 'active')
  return row?.checkout_path ?? ''
}

test('a repeated creation whose setup fails keeps an Instance that somebody has worked in, without teardown, and names the ways on', async () => {
  await using fleet = await startInstancesFleet()
  const checkout = await interrupted(fleet)
  writeFileSync(join(checkout, 'work.txt'), 'of a day')
  const error = await fleet.create().catch((reason: unknown) => reason)
  assert.ok(error instanceof CodedError)
  const row = await rowOf(fleet)
  const finish = `fleet instance:destroy ${row?.id}`
  assert.equal(error.code, 'instance.setup_step_failed')
  assert.partialDeepStrictEqual(error.details, {
    step: 'step-1',
    cleanup: 'incomplete',
    reasons: ['uncommitted_work'],
    finish,
  })
  assert.ok(error.message.includes(`\`fleet instance:setup ${row?.id}\``), error.message)
  assert.ok(error.message.endsWith(`To remove it: \`${finish}\`.`), error.message)
  assert.deepEqual(
    [row?.status, row?.failed_step, row?.error_code],
    ['active', 'setup', 'instance.setup_step_failed'],
  )
  assert.equal(readFileSync(join(checkout, 'work.txt'), 'utf8'), 'of a day')
  assert.equal(existsSync(join(fleet.home, 'torn')), false)
})

test('a repeated creation whose setup fails removes an Instance without work, unless its teardown leaves some', async () => {
  for (const [leaves, left] of [
    ['true', 0],
    ['echo dump > dump.sql', 1],
  ] as const) {
    await using fleet = await startInstancesFleet()
    await interrupted(fleet)
    await fleet.store.db
      .updateTable('project_steps')
      .set({ command: leaves })
      .where('name', '=', 't2')
      .execute()
    const { code, details } = await refusalOf(fleet.create())
    assert.deepEqual(
      [code, details['cleanup']],
      ['instance.setup_step_failed', left === 0 ? undefined : 'incomplete'],
    )
    const rows = await fleet.store.db.selectFrom('instances').select('status').execute()
    assert.deepEqual(rows, left === 0 ? [] : [{ status: 'active' }])
    assert.equal(fleet.residue().includes('app/feature/README.md'), left === 1)
  }
})

test('a setup that failed, or that a later request ran and left, is not run by the identical creation [INS-050]', async () => {
  await using fleet = await startInstancesFleet()
  const proof = join(fleet.home, 'proof')
  await steps(fleet, `echo ran >> ${proof}`)
  await fleet.create()
  for (const values of [
    { setup: 'pending', failed_step: 'setup', error_code: 'instance.setup_step_failed' },
    { setup: 'repeated', failed_step: 'setup', error_code: null },
  ] as const) {
    await fleet.store.db.updateTable('instances').set(values).execute()
    const { data } = await fleet.create()
    assert.deepEqual([data.failed_step, data.error_code], [values.failed_step, values.error_code])
  }
  assert.equal(readFileSync(proof, 'utf8'), 'ran\n')
})

test(
  'a setup whose interrupted step still runs on the Node is busy and stays unfinished: the identical creation resumes it later',
  { skip: !existsSync('/proc/self/stat') },
  async (context) => {
    await using fleet = await startInstancesFleet()
    const proof = join(fleet.home, 'proof')
    await steps(fleet, `echo done >> ${proof}`)
    const life = makeMortal(fleet.store, fleet.pool, { beforeCommand: 5 })
    await assert.rejects(fleet.create({}, fleet.rebuild(life)), Died)
    const earlier = spawn('sleep', ['60'], { stdio: 'ignore' })
    context.after(() => earlier.kill('SIGKILL'))
    const [, start = ''] =
      /^.*\) (?:\S+ ){19}(\S+)/s.exec(readFileSync(`/proc/${earlier.pid}/stat`, 'utf8')) ?? []
    const worker = join(fleet.apps, 'app/feature/.git/orbit/worker')
    writeFileSync(worker, `${earlier.pid} ${start}\n`)
    assert.equal((await refusalOf(fleet.create())).code, 'instance.lifecycle_busy')
    const row = await rowOf(fleet)
    assert.deepEqual([row?.setup, row?.failed_step, row?.error_code], ['pending', 'setup', null])
    rmSync(worker)
    assert.equal((await fleet.create()).data.failed_step, null)
    assert.equal(readFileSync(proof, 'utf8'), 'done\n')
  },
)
