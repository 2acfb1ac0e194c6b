import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { test } from 'node:test'
import type { InputOf } from '@fleet/contract'
import { addNode, asCaller, fakeCall, forEachDialect } from '@fleet/testing'
import {
  addActiveInstance,
  pathOf,
  serviceOf,
  startScheduleFleet,
  timerOf,
  world,
} from '#/schedules/world.test.ts'

type Input = InputOf<'schedule:create'>

forEachDialect(
  'a Schedule is installed, run, reported and removed, and nothing of it stays [SCHD-001, SCHD-006, SCHD-008, SCHD-010, SCHD-011, SCHD-012, SCHD-015, SCHD-016, SCHD-018, EV-038, EV-040, EV-041, EV-042]',
  async (dialect) => {
    await using fleet = await startScheduleFleet(dialect)
    const { call, create, show, list, run, complete, destroy } = world(fleet)
    const { data, created } = await create()
    const shown = {
      id: data.id,
      target_type: 'node',
      target_id: fleet.node.id,
      name: 'nightly',
      calendar: 'daily',
      command: 'echo "50% of $HOME"',
      timeout_seconds: 3600,
      desired_timer_state: 'enabled',
      status: 'active',
      failed_step: null,
      error_code: null,
      last_run_at: null,
      last_run_status: null,
    } as const
    assert.equal(created, true)
    assert.deepEqual([data, await show(data.id)], [shown, shown])
    const { command: _, ...listed } = shown
    assert.deepEqual(await list(), [listed])
    const { systemd } = fleet.host
    assert.deepEqual([systemd.isEnabled(timerOf(data)), systemd.isActive(timerOf(data))], [true, true])
    assert.deepEqual([systemd.isEnabled(serviceOf(data)), systemd.isActive(serviceOf(data))], [false, false])
    assert.equal(statSync(fleet.host.at(pathOf.script(data))).mode & 0o777, 0o640)
    assert.deepEqual((await run(data.id)).data, shown)
    assert.equal(systemd.isActive(serviceOf(data)), true)
    systemd.kill(serviceOf(data))
    const before = new Date().toISOString()
    await complete(data.id, 'error')
    // Only a Schedule whose removal waits for its run has something left to do.
    assert.deepEqual(await fleet.store.db.selectFrom('work').select('kind').execute(), [])
    const reported = await show(data.id)
    assert.ok((reported.last_run_at ?? '') >= before)
    assert.deepEqual({ ...reported, last_run_at: null }, { ...shown, last_run_status: 'error' })
    await complete(data.id, 'success')
    const last = await show(data.id)
    assert.equal(last.last_run_status, 'success')
    const { removed, retained_on_nodes, ...gone } = (await destroy(data.id)).data
    assert.deepEqual([removed, retained_on_nodes], [true, []])
    assert.deepEqual(gone, { ...last, status: 'removing', desired_timer_state: 'disabled' })
    assert.deepEqual(readdirSync(fleet.host.at('etc/systemd/system')), [])
    assert.equal(fleet.host.read(pathOf.script(data)), undefined)
    assert.deepEqual(await list(), [])
    assert.deepEqual(
      call.events.map(({ type, data: sent }) => [type, sent]),
      [
        ['schedule.created', shown],
        ['schedule.updated', reported],
        ['schedule.updated', last],
        ['schedule.updated', gone],
        ['schedule.deleted', { id: data.id, name: 'nightly' }],
      ],
    )
    for (const after of [run, show, destroy])
      await assert.rejects(after(data.id), { code: 'schedule.not_found' })
    await assert.rejects(complete(data.id, 'success'), { code: 'schedule.not_found' })
  },
)

test('an identical creation answers the stored Schedule and publishes nothing, other values are refused [SCHD-010, SCHD-024, EV-087]', async () => {
  await using fleet = await startScheduleFleet()
  const { call, create, list } = world(fleet)
  const first = await create()
  const before = call.events.length
  assert.deepEqual(await create(), { data: first.data, created: false })
  assert.equal(call.events.length, before)
  const others: readonly Partial<Input>[] = [
    { calendar: 'weekly' },
    { command: 'true' },
    { timeout_seconds: 60 },
  ]
  for (const other of others)
    await assert.rejects(create(other), {
      code: 'schedule.retry_conflict',
      details: { schedule_id: first.data.id, status: 'active', members: Object.keys(other) },
    })
  assert.equal((await list()).length, 1)
})

test('what no Schedule can be created of is refused with its code, and nothing is stored [SCHD-002, SCHD-003, SCHD-004, SCHD-005, SCHD-021, SCHD-026]', async () => {
  await using fleet = await startScheduleFleet()
  const { create, list } = world(fleet)
  const refused: ReadonlyArray<readonly [string, readonly Partial<Input>[]]> = [
    ['schedule.name_invalid', ['', 'a--b', '-a', 'a-', 'A', 'a_b', 'x'.repeat(64)].map((name) => ({ name }))],
    [
      'schedule.calendar_invalid',
      ['', '  ', 'dai\nly', 'dailÿ', 'x'.repeat(256), 'nonsense'].map((calendar) => ({ calendar })),
    ],
    ['schedule.command_invalid', ['', ' ', 'a\nb', 'a\rb', 'é'.repeat(2049)].map((command) => ({ command }))],
    ['schedule.timeout_invalid', [0, 86_401, -1].map((timeout_seconds) => ({ timeout_seconds }))],
    ['schedule.state_invalid', [{ start: false }]],
    ['node.not_found', [{ target_id: 999 }]],
    ['instance.not_found', [{ target_type: 'instance', target_id: 999 }]],
  ]
  for (const [code, inputs] of refused)
    for (const input of inputs) await assert.rejects(create(input), { code }, JSON.stringify(input))
  assert.deepEqual(await list(), [])
  const longest = { name: `a${'-b'.repeat(31)}`, command: 'é'.repeat(2048), timeout_seconds: 86_400 }
  assert.equal((await create(longest)).data.status, 'active')
})

test('a Node that is not active, runs macOS or has no systemd takes no Schedule [SCHD-025, SCHD-026, NODE-067]', async () => {
  await using fleet = await startScheduleFleet()
  const { create } = world(fleet)
  const nodes = {
    'schedule.target_unavailable': await addNode(fleet.store, { status: 'failed' }),
    'schedule.platform_unsupported': await addNode(fleet.store, { platform: 'macos' }),
    'node.capability_missing': await addNode(fleet.store, { wireguard_ip: '127.44.0.11' }),
  }
  for (const [code, { id }] of Object.entries(nodes))
    await assert.rejects(create({ target_id: id }), { code })
  const failed = nodes['schedule.target_unavailable']
  await assert.rejects(create({ target_id: failed.id }), {
    message: `The Node ${failed.name} is not active.`,
  })
  const { id, name } = await addActiveInstance(fleet)
  await fleet.store.db.updateTable('instances').set({ status: 'reserved' }).execute()
  await assert.rejects(create({ target_type: 'instance', target_id: id }), {
    code: 'schedule.target_unavailable',
    message: `The Instance ${name} is not active.`,
  })
})

test('the timer of an Instance may wait for its activation, that of a Node never does [SCHD-013, SCHD-021, EV-039]', async () => {
  await using fleet = await startScheduleFleet()
  const { call, create, activate, run } = world(fleet)
  const { id } = await addActiveInstance(fleet)
  const input = { target_type: 'instance', target_id: id, start: false } as const
  const { data } = await create(input)
  const { systemd } = fleet.host
  assert.equal(data.desired_timer_state, 'disabled')
  assert.deepEqual([systemd.isEnabled(timerOf(data)), systemd.isActive(timerOf(data))], [false, false])
  await run(data.id)
  assert.equal(systemd.isActive(serviceOf(data)), true)
  const enabled = { ...data, desired_timer_state: 'enabled' }
  assert.deepEqual((await activate(data.id)).data, enabled)
  assert.deepEqual([systemd.isEnabled(timerOf(data)), systemd.isActive(timerOf(data))], [true, true])
  assert.deepEqual((await activate(data.id)).data, enabled)
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['schedule.created', 'schedule.updated'],
  )
  assert.deepEqual((await create(input)).data, enabled)
  await assert.rejects(create({ ...input, start: true }), { code: 'schedule.retry_conflict' })
  const own = await create()
  await assert.rejects(activate(own.data.id), { code: 'schedule.target_invalid' })
})

test('the link of a timer for the next boot is on the disk when its activation answers', async () => {
  await using fleet = await startScheduleFleet()
  const { create, activate } = world(fleet)
  const { id } = await addActiveInstance(fleet)
  const { data } = await create({ target_type: 'instance', target_id: id, start: false })
  const { host } = fleet
  host.install('sync', 'echo "$*" >>"$FAKE/synced"; exec /usr/bin/sync "$@"')
  const links = host.at('etc/systemd/system/timers.target.wants')
  mkdirSync(links)
  await activate(data.id)
  assert.ok(host.read('synced')?.includes(links))
})

test('what a production Instance runs is its selected release: without one nothing is run or activated [SCHD-025]', async () => {
  await using fleet = await startScheduleFleet()
  const { create, activate, run } = world(fleet)
  const { db } = fleet.store
  const { id } = await addActiveInstance(fleet)
  const select = (selected_release: string | null) =>
    db.updateTable('instances').set({ environment: 'production', selected_release }).execute()
  await db
    .updateTable('instances')
    .set({ production_user: 'root', production_home: fleet.host.at('home/shop') })
    .execute()
  await select('20260101000000')
  const { data } = await create({ target_type: 'instance', target_id: id, start: false })
  await run(data.id)
  assert.equal(fleet.host.systemd.isActive(serviceOf(data)), true)
  fleet.host.systemd.kill(serviceOf(data))
  await select(null)
  const refusal = {
    code: 'schedule.target_unavailable',
    status: 409,
    details: { target_type: 'instance', instance_id: id },
  }
  await assert.rejects(run(data.id), refusal)
  await assert.rejects(activate(data.id), refusal)
  assert.equal(fleet.host.systemd.isActive(serviceOf(data)), false)
  assert.equal(fleet.host.systemd.isEnabled(timerOf(data)), false)
})

test('a timer that cannot be enabled stays as it was recorded [SCHD-025]', async () => {
  await using fleet = await startScheduleFleet()
  const { create, activate, show } = world(fleet)
  const { id } = await addActiveInstance(fleet)
  const { data } = await create({ target_type: 'instance', target_id: id, start: false })
  fleet.host.systemd.break(timerOf(data))
  await assert.rejects(activate(data.id), { code: 'schedule.activation_failed' })
  assert.deepEqual(await show(data.id), data)
  fleet.host.systemd.clearFaults()
  assert.equal((await activate(data.id)).data.desired_timer_state, 'enabled')
})

test('a report comes from the Node of the Schedule alone, and publishes nothing from another one [SCHD-017]', async () => {
  await using fleet = await startScheduleFleet()
  const { call, create, complete, show } = world(fleet)
  const { data } = await create()
  const before = call.events.length
  const other = { ...fleet.node, id: fleet.node.id + 1, name: 'other' }
  await assert.rejects(complete(data.id, 'success', other), { code: 'schedule.target_invalid', status: 403 })
  assert.equal(call.events.length, before)
  assert.deepEqual(await show(data.id), data)
})

test('the removal of a Schedule waits for its run, and is finished after the report [SCHD-015, EV-041, EV-042]', async () => {
  await using fleet = await startScheduleFleet()
  const { call, create, run, destroy, show, complete } = world(fleet)
  const { data } = await create()
  await run(data.id)
  assert.equal((await destroy(data.id)).data.removed, false)
  const waiting = await show(data.id)
  assert.deepEqual([waiting.status, waiting.desired_timer_state], ['removing', 'disabled'])
  const { systemd } = fleet.host
  assert.deepEqual([systemd.isActive(timerOf(data)), systemd.isActive(serviceOf(data))], [false, true])
  await assert.rejects(run(data.id), { code: 'schedule.state_invalid' })
  // To destroy it once more would free no name.
  const message = `The Schedule nightly is being removed, once its run has ended, 3600 s after that began at the latest. Choose another name; or end the run on the Node, as root with systemctl stop ${serviceOf(data)}, and finish the removal: \`fleet schedule:destroy ${data.id}\`.`
  for (const again of [{}, { command: 'true' }])
    await assert.rejects(create(again), {
      code: 'schedule.retry_conflict',
      message,
      details: { schedule_id: data.id, status: 'removing' },
    })
  assert.equal((await destroy(data.id)).data.removed, false)
  const dueAt = async () => {
    const rows = await fleet.store.db.selectFrom('work').select(['kind', 'key', 'due_at']).execute()
    assert.deepEqual(
      rows.map(({ kind, key }) => [kind, key]),
      [['schedule:remove', data.id]],
    )
    return Date.parse(rows[0]?.due_at ?? '')
  }
  assert.ok((await dueAt()) > Date.now() + 3_600_000)
  await complete(data.id, 'success')
  assert.ok((await dueAt()) < Date.now() + 10_000)
  const [kind] = fleet.domains.schedules.workKinds
  const work = () => kind?.run(call, { id: data.id })
  // A look that comes too early is tried again soon, and does not wait for the timeout of a run.
  await fleet.store.db.updateTable('work').set({ due_at: new Date().toISOString() }).execute()
  using piece = await fleet.store.work.claim({ kinds: ['schedule:remove'], leaseSeconds: 60 })
  await assert.rejects(work() ?? Promise.resolve(), { code: 'schedule.operation_busy' })
  const again = new Date(Date.now() + 5000)
  await fleet.store.transaction(async (tx) => piece?.retry(tx, again, 'schedule.operation_busy'))
  assert.equal(await dueAt(), again.getTime())
  systemd.kill(serviceOf(data))
  await work()
  await assert.rejects(show(data.id), { code: 'schedule.not_found' })
  assert.deepEqual(readdirSync(fleet.host.at('etc/systemd/system')), [])
  await work()
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['schedule.created', 'schedule.updated', 'schedule.updated', 'schedule.deleted'],
  )
})

test('a file that was not written for this Schedule is neither replaced nor removed [SCHD-025]', async () => {
  await using fleet = await startScheduleFleet()
  const { create, destroy, run } = world(fleet)
  const { data } = await create()
  const foreign = '[Service]\nExecStart=/bin/true\n'
  fleet.host.write(pathOf.service(data), foreign)
  const conflict = { code: 'schedule.artifact_conflict' }
  await assert.rejects(run(data.id), conflict)
  await assert.rejects(destroy(data.id), conflict)
  assert.equal(fleet.host.read(pathOf.service(data)), foreign)
  assert.ok(fleet.host.read(pathOf.script(data)))
})

test('a failed installation leaves nothing on the Node, and the identical request resumes [SCHD-007, SCHD-025, SCHD-027]', async () => {
  await using fleet = await startScheduleFleet()
  const { call, create, list, run, logs } = world(fleet)
  const systemctl = fleet.host.read('fake/systemctl') ?? ''
  const broken = 'case "$*" in "restart "*.timer) exit 1 ;; esac'
  fleet.host.install('systemctl', `${broken}\n${systemctl}`)
  await assert.rejects(create(), { code: 'schedule.install_failed' })
  const [failed] = await list()
  assert.deepEqual(
    [failed?.status, failed?.failed_step, failed?.error_code],
    ['failed', 'install', 'schedule.install_failed'],
  )
  assert.deepEqual(readdirSync(fleet.host.at('etc/systemd/system')), [])
  assert.deepEqual(call.events, [])
  for (const refused of [run, logs])
    await assert.rejects(refused(failed?.id ?? ''), { code: 'schedule.state_invalid' })
  fleet.host.write('fake/systemctl', systemctl, 0o755)
  const { data, created } = await create()
  assert.deepEqual(
    [data.id, data.status, data.failed_step, data.error_code, created],
    [failed?.id, 'active', null, null, false],
  )
})

test('what an installation left and could not remove is a failure of its own [SCHD-025]', async () => {
  await using fleet = await startScheduleFleet()
  const { create, list } = world(fleet)
  const systemctl = fleet.host.read('fake/systemctl') ?? ''
  const broken = 'case "$*" in "restart "*.timer) exit 1 ;; esac'
  fleet.host.install('systemctl', `${broken}\n${systemctl}`)
  fleet.host.install('rm', 'case "$*" in *.timer) exit 1 ;; esac; exec /bin/rm "$@"')
  await assert.rejects(create(), { code: 'schedule.rollback_failed' })
  const [failed] = await list()
  assert.deepEqual([failed?.status, failed?.error_code], ['failed', 'schedule.rollback_failed'])
})

test('a log has the last lines as they are, and says when earlier ones were too much [SCHD-014]', async () => {
  await using fleet = await startScheduleFleet()
  const { create, logs } = world(fleet)
  const { data } = await create()
  fleet.host.write(`systemd/journal/${serviceOf(data)}`, 'began\nAPI_TOKEN=secret-value\n')
  assert.deepEqual((await logs(data.id)).data, {
    output: 'began\nAPI_TOKEN=secret-value',
    truncated: false,
  })
  const line = 'x'.repeat(65_535)
  fleet.host.write(`systemd/journal/${serviceOf(data)}`, `${line}\n`.repeat(20))
  const { output, truncated } = (await logs(data.id)).data
  assert.equal(truncated, true)
  assert.ok(output.length <= 1024 * 1024 && output.startsWith('x') && output.length > 900_000)
  fleet.host.install('journalctl', 'exit 1')
  await assert.rejects(logs(data.id), { code: 'schedule.logs_failed' })
})

test('a list has what the caller may address, by name [SCHD-009]', async () => {
  await using fleet = await startScheduleFleet()
  const { create, handlers, list } = world(fleet)
  for (const name of ['b', 'c', 'a']) await create({ name })
  assert.deepEqual(
    (await list()).map((listed) => [listed.name, 'command' in listed]),
    [
      ['a', false],
      ['b', false],
      ['c', false],
    ],
  )
  const stranger = fakeCall({ caller: { ...asCaller(fleet.node), id: 99 } })
  assert.deepEqual((await handlers['schedule:list']({ call: stranger, input: {} })).data, [])
})
