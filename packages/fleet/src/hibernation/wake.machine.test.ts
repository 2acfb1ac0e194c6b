import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { findOperation } from '@fleet/contract'
import { testStepList } from '@fleet/steps/testing'
import type { TransferRecord } from '@fleet/store'
import { addInstance, addProject, asCaller, fakeCall } from '@fleet/testing'
import { makeHibernation } from '#/hibernation/make.ts'
import { instanceWaking, type Waking } from '#/hibernation/steps/waking.ts'
import { startWorld, type World } from '#/hibernation/world.test.ts'

const WEEK = 604_800

async function asleep(seconds = 7200, wakeSeconds = 60): Promise<World> {
  const world = await startWorld({ wakeSeconds })
  await world.process()
  world.age(world.markers.awake, seconds)
  await world.sweep()
  return world
}

/** Without its dependencies. */
async function cold(): Promise<World> {
  const world = await asleep(WEEK + 60)
  await world.sweep()
  return world
}

test('visitors of a sleeping Instance begin one wake, and see its page until it is awake', async () => {
  await using world = await asleep()
  const name = `${world.slug}/${world.instance.name}`
  const { sessions } = world.deps.nodes
  const { overTunnel } = sessions
  let asked = 0
  sessions.overTunnel = (...given) => {
    asked += 1
    return overTunnel.call(sessions, ...given)
  }
  const pages = await Promise.all(Array.from({ length: 50 }, () => world.wake()))
  assert.deepEqual(
    new Set(pages.map((page) => JSON.stringify(page))),
    new Set([JSON.stringify({ state: 'pending', instance: name })]),
  )
  assert.equal(asked, 1, 'its Node is asked once')
  sessions.overTunnel = overTunnel
  assert.deepEqual(await world.waiting(), [`instance:wake ${world.instance.id}`])
  const [call] = await world.runWork('instance:wake')
  assert.deepEqual(call?.events, [])
  assert.deepEqual(await world.wake(), { state: 'awake' })
  assert.deepEqual(await world.waiting(), [])
  const { host } = world.fleet
  assert.deepEqual([host.read(world.markers.awake), host.read(world.markers.slept)], ['', undefined])
  assert.deepEqual(world.ran, [])
})

test('a wake that the store could not take is begun by the next visitor', async () => {
  await using world = await asleep()
  const { store } = world.deps
  const add = store.work.add.bind(store.work)
  store.work.add = () => Promise.reject(new Error('the disk is full'))
  await assert.rejects(world.wake(), /the disk is full/)
  store.work.add = add
  assert.equal((await world.wake()).state, 'pending')
  assert.deepEqual(await world.waiting(), [`instance:wake ${world.instance.id}`])
})

test('an Instance with nothing that sleeps is awake without being asked, and so is production', async () => {
  await using world = await startWorld()
  assert.deepEqual(await world.wake(), { state: 'awake' })
  const { store, node } = world.fleet
  const { id: project_id } = await addProject(store)
  const { id } = await addInstance(store, { project_id, node_id: node.id, environment: 'production' })
  await store.db.updateTable('nodes').set({ status: 'failed' }).execute()
  const { data } = await world.domain.handlers['instance:wake']({ call: fakeCall(), input: { instance: id } })
  assert.deepEqual(data, { state: 'awake' })
})

test('a wake that fails is shown once, and the next visitor begins another [HIB-014]', async () => {
  await using world = await asleep(7200, 2)
  const { systemd } = world.fleet.host
  const [process] = await world.fleet.store.db.selectFrom('processes').selectAll().execute()
  const unit = `orbit-process-${process?.id}-queue.service`
  systemd.loop(unit)
  await world.wake()
  await assert.rejects(world.runWork('instance:wake'), { code: 'instance.wake_failed' })
  assert.deepEqual(await world.wake(), {
    state: 'failed',
    instance: `${world.slug}/${world.instance.name}`,
    code: 'instance.wake_failed',
    message: `${world.slug}/${world.instance.name} is not ready 2 s after it was started: queue.`,
  })
  assert.equal(world.fleet.host.read(world.markers.awake), undefined)
  assert.equal((await world.wake()).state, 'pending')
  systemd.clearFaults()
  await world.runWork('instance:wake')
  assert.deepEqual(await world.wake(), { state: 'awake' })
})

test('a wake whose Process failed and is not started again waits no longer, and says which one', async () => {
  await using world = await asleep(7200, 60)
  const { host } = world.fleet
  const { systemd } = host
  const { id } = await world.fleet.store.db.selectFrom('processes').select('id').executeTakeFirstOrThrow()
  const unit = `orbit-process-${id}-queue.service`
  const { start } = world.deps.processes
  world.deps.processes.start = async (...given) => {
    await start(...given)
    systemd.kill(unit)
    host.write(`systemd/failed/${unit}`, '')
  }
  let looks = 0
  const { unready } = world.deps.processes
  world.deps.processes.unready = (...given) => {
    looks += 1
    return unready(...given)
  }
  await world.wake()
  await assert.rejects(world.runWork('instance:wake'), { code: 'instance.wake_failed' })
  const page = await world.wake()
  const message = `${world.slug}/${world.instance.name} was started and failed: queue.`
  assert.deepEqual([page.state === 'failed' && page.message, looks], [message, 1])
})

test('a wake that the stop of its gateway ends is not at its end and no failure: it is left to the next gateway', async () => {
  for (const [world, name] of [
    [await asleep(), 'instance:wake'],
    [await cold(), 'instance:wake-cold'],
  ] as const) {
    await using _ = world
    const { deps, instance } = world
    await world.wake()
    const stop = new AbortController()
    deps.processes.unready = async () => {
      stop.abort()
      return { waiting: ['queue'], failed: [] }
    }
    const kind = world.domain.workKinds.find((one) => one.name === name)
    const run = kind?.run(fakeCall({ signal: stop.signal }), { instance_id: instance.id })
    await assert.rejects(async () => run, { code: 'activity.interrupted' })
    assert.equal((await world.wake()).state, 'pending')
  }
})

test('a wake starts every Process that should run and waits for it, also one that is kept alive and ended with its Node [HIB-016]', async () => {
  await using world = await asleep(7200, 2)
  const { systemd } = world.fleet.host
  const always = await world.process({ name: 'always', keep_alive: true })
  const stopped = await world.process({ name: 'stopped', keep_alive: true, start: false })
  const unit = `orbit-process-${always.id}-always.service`
  systemd.kill(unit)
  rmSync(world.fleet.host.at(world.markers.awake), { force: true })
  systemd.loop(unit)
  await world.wake()
  await assert.rejects(world.runWork('instance:wake'), { code: 'instance.wake_failed' })
  const page = await world.wake()
  assert.equal(
    page.state === 'failed' && page.message,
    `${world.slug}/${world.instance.name} is not ready 2 s after it was started: always.`,
  )
  systemd.clearFaults()
  systemd.kill(unit)
  await world.wake()
  await world.runWork('instance:wake')
  assert.deepEqual(await world.wake(), { state: 'awake' })
  assert.deepEqual([world.isActive(always), world.isActive(stopped)], [true, false])
})

test('dependencies of an Instance that slept for long are removed once it is quiet, and not while a Process is kept alive [HIB-010]', async () => {
  await using world = await cold()
  const { host, store } = world.fleet
  assert.match(world.ran[0] ?? '', /^cd -- \.\n[^]*comes_back vendor composer\.lock[^]*mv -- /)
  assert.equal(host.read(world.markers.cold), '')
  assert.deepEqual(await world.sweep(), [])
  assert.equal(world.ran.length, 1)
  rmSync(host.at(world.markers.cold))
  await world.process({ name: 'always', keep_alive: true })
  await world.sweep()
  assert.equal(world.ran.length, 1)
  assert.equal(host.read(world.markers.cold), undefined)
  assert.deepEqual(await world.sweep(), [], 'it is not looked at again before the long window is over')
  await store.db.deleteFrom('processes').where('name', '=', 'always').execute()
  world.age(world.markers.slept, WEEK + 60)
  world.end = 'failed'
  await assert.rejects(world.sweep(), { code: 'node.command_failed' })
})

test('an Instance with an enabled Schedule keeps its dependencies, and one that lost them before gets them back [HIB-007]', async () => {
  await using world = await asleep(WEEK + 60)
  const { host, store, domains, node } = world.fleet
  host.install('systemd-analyze', 'exit 0')
  const call = fakeCall({ caller: asCaller(node) })
  const given = { target_type: 'instance', target_id: world.instance.id, timeout_seconds: 3600 } as const
  const {
    'schedule:create': create,
    'schedule:activate': activate,
    'schedule:run': run,
  } = domains.schedules.handlers
  const input = { ...given, name: 'nightly', calendar: 'daily', command: 'true' }
  const { data } = await create({ call, input: { ...input, start: true } })
  await world.sweep()
  assert.deepEqual([world.ran, host.read(world.markers.cold)], [[], undefined])
  assert.deepEqual(await world.waiting(), [])
  await store.db.updateTable('schedules').set({ desired_timer_state: 'disabled' }).execute()
  world.age(world.markers.slept, WEEK + 60)
  await world.sweep()
  assert.deepEqual([world.ran.length, host.read(world.markers.cold)], [1, ''])
  const wake = [`instance:return-dependencies ${world.instance.id}`]
  await create({ call, input: { ...input, name: 'later', start: false } })
  assert.deepEqual(await world.waiting(), [])
  await assert.rejects(run({ call, input: { schedule: data.id } }), {
    code: 'schedule.target_unavailable',
    message: /were removed while it slept/,
  })
  assert.deepEqual(await world.waiting(), wake)
  await store.db.deleteFrom('work').execute()
  await activate({ call, input: { schedule: data.id } })
  assert.deepEqual(await world.waiting(), wake)
  await store.db.deleteFrom('work').execute()
  await create({ call, input: { ...input, name: 'hourly', start: true } })
  assert.deepEqual(await world.waiting(), wake)
  await world.runWork('instance:return-dependencies')
  assert.deepEqual([world.ran.length, host.read(world.markers.cold)], [2, undefined])
})

test('an Instance without dependencies that could be removed does not become cold, and is looked at again after the long window', async () => {
  await using world = await asleep(WEEK + 60)
  world.hasPrunable = false
  assert.equal((await world.sweep()).length, 1)
  assert.equal(world.fleet.host.read(world.markers.cold), undefined)
  assert.deepEqual([await world.sweep(), world.ran], [[], []])
  world.age(world.markers.slept, WEEK + 60)
  world.hasPrunable = true
  await world.sweep()
  assert.deepEqual([world.fleet.host.read(world.markers.cold), world.ran.length], ['', 1])
})

test('a cold wake restores the dependencies, starts the Processes, waits for them, and then clears the markers [HIB-016]', async () => {
  await using world = await cold()
  world.ran.length = 0
  const order: string[] = []
  const { processes, clock } = world.deps
  const seen = (what: string): void =>
    void order.push(`${what}${world.fleet.host.read(world.markers.cold) === '' ? ' cold' : ''}`)
  let waits = 2
  const watched: World['deps'] = {
    ...world.deps,
    clock: { ...clock, sleep: async (milliseconds) => seen(`sleep ${milliseconds}`) },
    instances: {
      ...world.deps.instances,
      runCommand: async (_call, _instance, { name, limitSeconds }) => {
        seen(`${name} ${limitSeconds}`)
        return 'succeeded'
      },
    },
    processes: {
      ...processes,
      start: async (...given) => {
        seen('start')
        await processes.start(...given)
      },
      unready: async () => {
        seen('look')
        return { waiting: waits-- > 0 ? ['queue'] : [], failed: [] }
      },
    },
  }
  const domain = makeHibernation({ ...watched, webServer: world.fleet.domains.webServer })
  for (const wake of ['instance:wake', 'instance:wake-cold']) {
    const kind = domain.workKinds.find(({ name }) => name === wake)
    await kind?.run(fakeCall(), { instance_id: world.instance.id })
  }
  assert.deepEqual(order, [
    'dependencies 1800 cold',
    'start cold',
    'look cold',
    'sleep 500 cold',
    'look cold',
    'sleep 500 cold',
    'look cold',
  ])
  const { host } = world.fleet
  assert.deepEqual([host.read(world.markers.cold), host.read(world.markers.awake)], [undefined, ''])
})

test('an Instance without its dependencies gets them back when its last Process that sleeps is stopped, when a visitor comes then, and when it is removed [HIB-016]', async () => {
  await using world = await cold()
  const { host, store, domains, node } = world.fleet
  const call = fakeCall({ caller: asCaller(node) })
  const [process] = await store.db.selectFrom('processes').selectAll().execute()
  const input = { process: process?.id ?? 0 }
  await domains.processes.handlers['process:stop']({ call, input })
  const returned = `instance:return-dependencies ${world.instance.id}`
  assert.deepEqual(await world.waiting(), [returned])
  assert.equal((await world.wake()).state, 'pending')
  await world.runWork('instance:wake')
  assert.deepEqual([host.read(world.markers.cold), (await world.wake()).state], [undefined, 'awake'])
  const [ran] = [world.ran.length]
  await world.runWork('instance:return-dependencies')
  assert.equal(world.ran.length, ran, 'nothing is installed twice')
  host.write(world.markers.cold, '')
  rmSync(host.at(world.markers.awake), { force: true })
  await domains.processes.handlers['process:destroy']({ call, input: { ...input, offline: false } })
  await world.runWork('instance:return-dependencies')
  assert.equal(host.read(world.markers.cold), undefined)
})

test('dependencies that nobody would find missing are brought back again after a failure, until the Instance is removed [HIB-016]', async () => {
  await using world = await cold()
  const { host, store, domains, node } = world.fleet
  const { id } = await store.db.selectFrom('processes').select('id').executeTakeFirstOrThrow()
  await domains.processes.handlers['process:destroy']({
    call: fakeCall({ caller: asCaller(node) }),
    input: { process: id, offline: false },
  })
  const name = 'instance:return-dependencies'
  const kind = world.domain.workKinds.find((one) => one.name === name)
  const waiting = [`${name} ${world.instance.id}`]
  world.end = 'failed'
  assert.ok(kind)
  // Work that failed is tried again, unless somebody else finds it.
  assert.equal(kind.isFoundAgain, undefined)
  await assert.rejects(kind.run(fakeCall(), { instance_id: world.instance.id }), {
    code: 'instance.wake_failed',
  })
  assert.deepEqual([await world.waiting(), host.read(world.markers.cold)], [waiting, ''])
  assert.deepEqual(await world.wake(), { state: 'awake' }, 'no visitor finds it')
  world.end = 'succeeded'
  await world.runWork(name)
  assert.deepEqual([await world.waiting(), host.read(world.markers.cold)], [[], undefined])
  host.write(world.markers.cold, '')
  world.ran.length = 0
  await store.db.updateTable('instances').set({ status: 'removing' }).execute()
  await kind.run(fakeCall(), { instance_id: world.instance.id })
  assert.deepEqual(world.ran, [])
})

test('an Instance whose last Process that sleeps was removed without its Node gets its dependencies when that is back [HIB-016]', async () => {
  await using world = await cold()
  const { host, store, domains, node, session } = world.fleet
  const { id } = await store.db.selectFrom('processes').select('id').executeTakeFirstOrThrow()
  await store.db.updateTable('nodes').set({ status: 'failed' }).execute()
  await domains.processes.handlers['process:destroy']({
    call: fakeCall({ caller: asCaller(node) }),
    input: { process: id, offline: true },
  })
  await store.db.updateTable('nodes').set({ status: 'active' }).execute()
  assert.deepEqual(await world.waiting(), [])
  await domains.processes.artifact.converge(session, { force: false })
  assert.deepEqual(await world.waiting(), [`instance:return-dependencies ${world.instance.id}`])
  await world.runWork('instance:return-dependencies')
  assert.equal(host.read(world.markers.cold), undefined)
})

/** A transfer that cannot come to its end because a Node is gone. */
const stuck = async (world: World, given: Partial<TransferRecord>): Promise<void> => {
  const { store, node } = world.fleet
  const transfer: TransferRecord = {
    operation_id: '00000000-0000-4000-8000-000000000001',
    source_preparation_id: 'a preparation',
    requested_name: null,
    source_node_id: node.id,
    source_path: '/apps/app/feature',
    destination_node_id: node.id,
    destination_name: 'feature',
    destination_path: '/apps/app/feature',
    destination_domain: 'feature.app.test',
    status: 'failed',
    steps: {},
    failed_step: 'source_copy',
    error_code: 'instance.transfer_failed',
    content_digest: null,
    ...given,
  }
  await store.db.updateTable('instances').set({ transfer }).where('id', '=', world.instance.id).execute()
}

const PLACED: readonly Partial<TransferRecord>[] = [
  { steps: {} },
  { steps: { cutover: 'done' }, failed_step: 'runtime_start' },
  { steps: { cutover: 'done', runtime_start: 'done' }, failed_step: 'source_cleanup' },
]

test('an Instance is woken where it is placed while its transfer stays open, and sleeps no more until then [HIB-016]', async () => {
  for (const transfer of PLACED) {
    await using world = await cold()
    world.ran.length = 0
    await stuck(world, transfer)
    assert.equal((await world.wake()).state, 'pending')
    await world.runWork('instance:wake')
    assert.deepEqual(await world.wake(), { state: 'awake' })
    assert.deepEqual([world.ran.length, world.fleet.host.read(world.markers.cold)], [1, undefined])
    world.age(world.markers.awake, 7200)
    await world.sweep()
    assert.equal(world.fleet.host.read(world.markers.awake), '')
  }
})

test('a wake that installs dependencies goes on as work with places of its own, and its visitors wait for that one', async () => {
  await using world = await cold()
  const places = new Map(world.domain.workKinds.map((kind) => [kind.name, kind.places]))
  for (const name of ['instance:wake', 'instance:wake-cold', 'instance:prune', 'instance:sleep'])
    assert.notEqual(places.get(name), undefined, name)
  // The next sweep finds an Instance again that could not be put to sleep or pruned, and the next visitor one that could not be woken.
  const found = world.domain.workKinds.filter(({ isFoundAgain }) => isFoundAgain === true)
  assert.deepEqual(found.map(({ name }) => name).toSorted(), [
    'instance:prune',
    'instance:sleep',
    'instance:wake',
    'instance:wake-cold',
  ])
  assert.equal((await world.wake()).state, 'pending')
  await world.fleet.store.db.deleteFrom('work').execute()
  world.ran.length = 0
  const wake = world.domain.workKinds.find(({ name }) => name === 'instance:wake')
  // An installation that runs already holds the lock for as long as it takes, and so does a transfer that has added the wake.
  await stuck(world, { status: 'running', steps: { cutover: 'done' } })
  await world.deps.instances.withOperationLock(
    fakeCall(),
    world.instance.id,
    'instance.lifecycle_busy',
    async () => void (await wake?.run(fakeCall(), { instance_id: world.instance.id })),
  )
  assert.deepEqual(await world.waiting(), [`instance:wake-cold ${world.instance.id}`])
  assert.deepEqual([world.ran, (await world.wake()).state], [[], 'pending'])
  assert.deepEqual(await world.waiting(), [`instance:wake-cold ${world.instance.id}`])
  await stuck(world, { status: 'completed' })
  await world.runWork('instance:wake')
  assert.deepEqual([world.ran.length, (await world.wake()).state], [1, 'awake'])
})

test('what keeps an Instance from being woken is shown to its visitor [HIB-014]', async () => {
  const cases: readonly (readonly [string, (world: World) => Promise<unknown>])[] = [
    ['instance.transfer_incomplete', (world) => stuck(world, { status: 'running' })],
    [
      'instance.transfer_incomplete',
      (world) => stuck(world, { status: 'running', steps: { cutover: 'done' } }),
    ],
    [
      'node.not_active',
      ({ fleet }) => fleet.store.db.updateTable('nodes').set({ status: 'failed' }).execute(),
    ],
    [
      'instance.lifecycle_conflict',
      ({ fleet }) => fleet.store.db.updateTable('instances').set({ status: 'reserved' }).execute(),
    ],
  ]
  for (const [code, keep] of cases) {
    await using world = await asleep()
    await keep(world)
    assert.equal((await world.wake()).state, 'pending')
    await assert.rejects(world.runWork('instance:wake'), { code })
    const page = await world.wake()
    assert.equal(page.state === 'failed' && page.code, code)
    assert.ok(findOperation('instance:wake')?.errors.some((declared) => declared === code))
    assert.equal((await world.wake()).state, 'pending')
  }
})

test('a wake of an Instance that is gone ends without a word', async () => {
  await using world = await asleep()
  await world.wake()
  const { find } = world.deps.instances
  world.deps.instances.find = () => Promise.resolve(undefined)
  const [call] = await world.runWork('instance:wake')
  world.deps.instances.find = find
  assert.equal(call?.notes.properties['error_code'], undefined)
  assert.equal((await world.wake()).state, 'pending')
})

test('dependencies that cannot be restored leave the Instance cold and asleep', async () => {
  await using world = await cold()
  world.end = 'failed'
  await world.wake()
  await assert.rejects(world.runWork('instance:wake'), { code: 'instance.wake_failed' })
  const page = await world.wake()
  assert.equal(
    page.state === 'failed' && page.message,
    `The dependencies of ${world.slug}/${world.instance.name} could not be installed again.`,
  )
  assert.equal(world.fleet.host.read(world.markers.cold), '')
  assert.equal(world.fleet.host.read(world.markers.awake), undefined)
})

interface Context extends Waking {
  readonly world: World
}

testStepList<Context>('instance-waking', {
  list: instanceWaking,
  fresh: async () => {
    const world = await startWorld()
    await world.process({ start: false })
    await world.fleet.store.db.updateTable('processes').set({ desired_state: 'running' }).execute()
    for (const path of [world.markers.slept, world.markers.cold]) world.fleet.host.write(path, '')
    const instance = await world.deps.instances.find(world.instance.id)
    if (!instance) throw new Error('the Instance of the test is gone')
    return { world, deps: world.deps, call: fakeCall(), session: world.fleet.session, instance }
  },
  view: async ({ world }) => [
    Object.values(world.markers).map((path) => world.fleet.host.read(path)),
    await world.fleet.store.db.selectFrom('processes').select(['status', 'observed_status']).execute(),
  ],
  close: ({ world }) => world[Symbol.asyncDispose](),
})
