import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import type { InputOf, ProcessData } from '@fleet/contract'
import { Deadline, systemClock } from '@fleet/kernel'
import {
  addInstance,
  addNode,
  addProcess,
  addProject,
  addRoute,
  asCaller,
  fakeCall,
  forEachDialect,
  type ServiceFleet,
  startServiceFleet,
} from '@fleet/testing'

type Input = InputOf<'process:create'>

const QUEUE = ['/usr/bin/php', 'artisan', 'queue:work', '--queue=a b', '100%']

const given = ({ node }: ServiceFleet, more: Partial<Input> = {}): Input => ({
  target_type: 'node',
  target_id: node.id,
  name: 'queue',
  runtime: 'systemd',
  command: QUEUE,
  ...more,
})

function world(fleet: ServiceFleet) {
  const { handlers } = fleet.domains.processes
  const call = fakeCall({ caller: asCaller(fleet.node) })
  return {
    handlers,
    call,
    create: (more: Partial<Input> = {}) => handlers['process:create']({ call, input: given(fleet, more) }),
    start: (process: number) => handlers['process:start']({ call, input: { process } }),
    stop: (process: number) => handlers['process:stop']({ call, input: { process } }),
    restart: (process: number) => handlers['process:restart']({ call, input: { process } }),
    destroy: (process: number, offline = false) =>
      handlers['process:destroy']({ call, input: { process, offline } }),
    list: async (more: InputOf<'process:list'> = {}) =>
      (await handlers['process:list']({ call, input: more })).data,
  }
}

const unitOf = ({ id, name }: Pick<ProcessData, 'id' | 'name'>): string =>
  `orbit-process-${id}-${name}.service`
const fileOf = (fleet: ServiceFleet, data: ProcessData): string | undefined =>
  fleet.host.read(`etc/systemd/system/${unitOf(data)}`)

forEachDialect(
  'a Process is installed, started, stopped, restarted and removed, and each answers the status read afterwards [PROC-005, PROC-006, PROC-008, PROC-013, PROC-015, EV-010, EV-030, EV-031, EV-032]',
  async (dialect) => {
    await using fleet = await startServiceFleet(dialect)
    const { call, create, start, stop, restart, destroy, list } = world(fleet)
    const { data, created } = await create()
    assert.equal(created, true)
    const shown = {
      id: data.id,
      target_type: 'node',
      target_id: fleet.node.id,
      name: 'queue',
      runtime: 'systemd',
      working_directory: fleet.node.user_home,
      runtime_config: {
        command: QUEUE,
        preset: null,
        image: null,
        environment: [],
        ports: [],
        volumes: [],
      },
      restart_policy: 'never',
      keep_alive: false,
      user: null,
      desired_state: 'stopped',
      status: 'active',
      runtime_status: 'inactive',
      failed_step: null,
      error_code: null,
      cpu: null,
      memory_bytes: null,
    }
    assert.deepEqual(data, shown)
    const running = { ...shown, desired_state: 'running', runtime_status: 'active' }
    assert.deepEqual((await start(data.id)).data, running)
    assert.equal(fleet.host.systemd.isActive(unitOf(data)), true)
    assert.equal(fleet.host.systemd.isEnabled(unitOf(data)), true)
    const [listed] = await list()
    assert.deepEqual({ ...listed, cpu: null }, { ...running, memory_bytes: 4096 })
    assert.ok((listed?.cpu ?? 0) > 0.5)
    assert.deepEqual((await restart(data.id)).data, running)
    assert.deepEqual((await stop(data.id)).data, shown)
    assert.equal(fleet.host.systemd.isEnabled(unitOf(data)), false)
    const { retained_on_nodes, ...gone } = (await destroy(data.id)).data
    assert.deepEqual(retained_on_nodes, [])
    assert.deepEqual(gone, { ...shown, status: 'removing', runtime_status: null })
    assert.equal(fileOf(fleet, data), undefined)
    assert.deepEqual(
      call.events.map(({ type, data: told }) => [type, told]),
      [
        ['process.created', shown],
        ['process.status', running],
        ['process.status', running],
        ['process.status', shown],
        ['process.deleted', { id: data.id, name: 'queue' }],
      ],
    )
    const { id, name, status, runtime_status } = running
    assert.deepEqual(
      { id, name, status, runtime_status },
      { id: data.id, name: 'queue', status: 'active', runtime_status: 'active' },
    )
    await assert.rejects(destroy(data.id), { code: 'process.not_found' })
    await assert.rejects(start(data.id), { code: 'process.not_found' })
  },
)

test('a Process whose unit is gone is stopped, also where it runs on without its file, and is started again by nobody else', async () => {
  await using fleet = await startServiceFleet()
  const { create, start, stop } = world(fleet)
  const { data } = await create()
  await start(data.id)
  rmSync(fleet.host.at(`etc/systemd/system/${unitOf(data)}`))
  for (let turn = 0; turn < 2; turn += 1) {
    const { runtime_status, desired_state } = (await stop(data.id)).data
    assert.deepEqual([runtime_status, desired_state], ['inactive', 'stopped'])
    assert.equal(fleet.host.systemd.isActive(unitOf(data)), false)
  }
})

test('an identical creation answers the stored Process and publishes nothing, another specification is refused [PROC-001, PROC-012, PROC-028, PROC-029]', async () => {
  await using fleet = await startServiceFleet()
  const { call, create, start, list } = world(fleet)
  const first = await create()
  await start(first.data.id)
  const before = call.events.length
  const again = await create()
  assert.equal(again.created, false)
  assert.equal(again.data.desired_state, 'running')
  assert.equal((await create({ start: false })).data.desired_state, 'running')
  assert.equal(call.events.length, before)
  const others: readonly Partial<Input>[] = [
    { command: ['/usr/bin/true'] },
    { restart_policy: 'always' },
    { keep_alive: true },
    { working_directory: '/srv' },
    { user: 'deploy' },
    { runtime: 'docker', image: 'caddy:2' },
  ]
  for (const other of others)
    await assert.rejects(create(other), {
      code: 'process.name_taken',
      details: { process_id: first.data.id, status: 'active', members: Object.keys(other) },
    })
  assert.equal((await list()).length, 1)
  // A name is unique for its owner alone.
  const { id: project_id } = await addProject(fleet.store)
  const owner = await addInstance(fleet.store, { project_id, node_id: fleet.node.id })
  const ofInstance = await create({
    target_type: 'instance',
    target_id: owner.id,
    command: ['/usr/bin/true'],
  })
  assert.deepEqual(
    [ofInstance.created, ofInstance.data.target_type, ofInstance.data.target_id, ofInstance.data.name],
    [true, 'instance', owner.id, first.data.name],
  )
  assert.notEqual(ofInstance.data.id, first.data.id)
})

test('a unit that was not written for this Process is neither replaced nor removed [PROC-009, PROC-010]', async () => {
  await using fleet = await startServiceFleet()
  const { create, destroy, start } = world(fleet)
  const { data } = await create()
  const path = `etc/systemd/system/${unitOf(data)}`
  const own = fileOf(fleet, data) ?? assert.fail('no unit')
  const foreign = own.replace(`fleet.process.id=${data.id}`, `fleet.process.id=${data.id + 1}`)
  fleet.host.write(path, foreign)
  await assert.rejects(start(data.id), { code: 'process.unit_conflict' })
  await assert.rejects(destroy(data.id), { code: 'process.unit_conflict' })
  assert.equal(fileOf(fleet, data), foreign)
  const next = `etc/systemd/system/orbit-process-${data.id + 1}-other.service`
  fleet.host.write(next, '[Service]\nExecStart=/bin/true\n')
  await assert.rejects(create({ name: 'other' }), { code: 'process.unit_conflict' })
  assert.equal(fleet.host.read(next), '[Service]\nExecStart=/bin/true\n')
})

test('what a creation cannot be made of is refused before anything is stored [PROC-018, PROC-019, PROC-020, PROC-021, PROC-023, PROC-027]', async () => {
  await using fleet = await startServiceFleet()
  const { create, list } = world(fleet)
  const refused: ReadonlyArray<readonly [Partial<Input>, string]> = [
    [{ runtime: undefined }, 'validation.failed'],
    [{ command: undefined }, 'validation.failed'],
    [{ command: ['php'] }, 'validation.failed'],
    [{ command: ['/usr/bin/'] }, 'validation.failed'],
    [{ image: 'mysql' }, 'validation.failed'],
    [{ environment: ['A=1'] }, 'validation.failed'],
    [{ ports: ['80:80'] }, 'validation.failed'],
    [{ volumes: [] }, 'validation.failed'],
    [{ preset: 'vp-dev' }, 'validation.failed'],
    [{ preset: 'vp-dev', runtime: undefined, command: undefined }, 'validation.failed'],
    [{ runtime: 'docker', user: 'shop' }, 'validation.failed'],
    [{ runtime: 'docker', image: 'mysql', user: 'shop' }, 'validation.failed'],
    [{ target_type: 'instance', user: 'shop' }, 'validation.failed'],
    [{ runtime: 'docker' }, 'validation.failed'],
    [{ runtime: 'docker', image: 'mysql', environment: ['A=1', 'A=2'] }, 'validation.failed'],
    [{ target_id: 999 }, 'node.not_found'],
    [{ target_type: 'instance', target_id: 999 }, 'instance.not_found'],
  ]
  for (const [more, code] of refused) await assert.rejects(create(more), { code }, JSON.stringify(more))
  assert.deepEqual(await list(), [])
})

test('a unit that is as it was installed is started in one script that reads no units again, one that was edited is installed first', async () => {
  await using fleet = await startServiceFleet()
  const { create, start, stop } = world(fleet)
  const { data } = await create()
  const unit = unitOf(data)
  const callsOf = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = fleet.host.systemd.calls().length
    await work()
    return fleet.host.systemd.calls().slice(before)
  }
  const show = `show --property=ActiveState ${unit}`
  const starting = [`--no-reload enable --now ${unit}`, show]
  assert.deepEqual(await callsOf(() => start(data.id)), starting)
  assert.deepEqual(await callsOf(() => stop(data.id)), [`--no-reload disable --now ${unit}`, show])
  const installed = fileOf(fleet, data) ?? ''
  const path = `etc/systemd/system/${unit}`
  for (const harm of [
    () => fleet.host.write(path, `${installed}\nNice=5\n`),
    () => chmodSync(fleet.host.at(path), 0o666),
  ]) {
    harm()
    const calls = await callsOf(() => start(data.id))
    assert.ok(calls.includes('daemon-reload'), calls.join())
    assert.deepEqual(calls.slice(-2), starting)
    assert.equal(fileOf(fleet, data), installed)
  }
})

/** Where systemd keeps the links for the next boot. */
const WANTS = 'etc/systemd/system/multi-user.target.wants'

test('a link for the next boot is on the disk when a start answers, and so is its removal when a stop does', async () => {
  await using fleet = await startServiceFleet()
  const { create, start, stop } = world(fleet)
  const { data } = await create()
  const { host } = fleet
  host.install('sync', 'echo "$*" >>"$FAKE/synced"; exec /usr/bin/sync "$@"')
  mkdirSync(host.at(WANTS))
  const flushed = async (work: () => Promise<unknown>): Promise<boolean> => {
    rmSync(host.at('synced'), { force: true })
    await work()
    return host.read('synced')?.includes(host.at(WANTS)) ?? false
  }
  assert.equal(await flushed(() => start(data.id)), true)
  symlinkSync(`../${unitOf(data)}`, host.at(`${WANTS}/${unitOf(data)}`))
  assert.equal(await flushed(() => start(data.id)), false, 'it is there already')
  assert.equal(await flushed(() => stop(data.id)), true)
})

test('a stop whose unit would start at the next boot has failed', async () => {
  await using fleet = await startServiceFleet()
  const { create, start, stop } = world(fleet)
  const { data } = await create()
  await start(data.id)
  const systemctl = fleet.host.read('fake/systemctl') ?? ''
  // As with a folder of units that nobody may write.
  fleet.host.install('systemctl', `case "$*" in *disable*) exit 1 ;; esac\n${systemctl}`)
  await assert.rejects(stop(data.id), { code: 'process.runtime_failed' })
  assert.equal(fleet.host.systemd.isActive(unitOf(data)), false)
  // One that did not start at boot is only stopped.
  fleet.host.systemd.disable(unitOf(data))
  assert.equal((await stop(data.id)).data.runtime_status, 'inactive')
})

test('a unit that failed too often starts and restarts when somebody asks for it', async () => {
  await using fleet = await startServiceFleet()
  const { create, start, restart } = world(fleet)
  const { data } = await create()
  const { systemd } = fleet.host
  for (const act of [start, restart]) {
    systemd.limit(unitOf(data))
    assert.equal((await act(data.id)).data.status, 'active')
    assert.ok(systemd.isEnabled(unitOf(data)))
  }
})

test('a Node or an Instance that is not active, runs macOS or has no systemd takes no Process [PROC-040, PROC-042]', async () => {
  await using fleet = await startServiceFleet()
  const { create } = world(fleet)
  const nodes = {
    'process.target_inactive': await addNode(fleet.store, { status: 'failed' }),
    'process.platform_unsupported': await addNode(fleet.store, { platform: 'macos' }),
    'node.capability_missing': await addNode(fleet.store, { wireguard_ip: '127.44.0.11' }),
  }
  for (const [code, { id }] of Object.entries(nodes))
    await assert.rejects(create({ target_id: id }), { code })
  const project = await addProject(fleet.store)
  const place = { project_id: project.id, node_id: fleet.node.id, checkout_path: '/home/fleet/apps/shop/one' }
  const { id } = await addInstance(fleet.store, { ...place, status: 'reserved' })
  await assert.rejects(create({ target_type: 'instance', target_id: id }), {
    code: 'process.target_inactive',
  })
})

test('an account that cannot be used is refused, and the identical request resumes once it can [PROC-005, PROC-008, PROC-027, PROC-042]', async () => {
  await using fleet = await startServiceFleet()
  const { create, list } = world(fleet)
  await assert.rejects(create({ user: 'nobody-here' }), { code: 'process.user_unavailable' })
  const [failed] = await list()
  assert.deepEqual(
    [failed?.status, failed?.failed_step, failed?.error_code],
    ['failed', 'account', 'process.user_unavailable'],
  )
  fleet.host.install('id', 'echo 0')
  await assert.rejects(create({ user: 'nobody-here' }), { code: 'process.user_unavailable' })
  fleet.host.install('id', 'echo 1234')
  fleet.host.install('getent', `echo "nobody-here:x:1:1::${fleet.host.root}:/bin/sh"`)
  const { data, created } = await create({ user: 'nobody-here' })
  assert.deepEqual(
    [created, data.status, data.user, data.working_directory],
    [false, 'active', 'nobody-here', '~'],
  )
  assert.match(fileOf(fleet, data) ?? '', /^User=nobody-here\nWorkingDirectory=~$/m)
})

test('a request with another account takes the place of one whose account was refused, and of no other [PROC-029]', async () => {
  await using fleet = await startServiceFleet()
  const { create, list, call } = world(fleet)
  await assert.rejects(create({ user: 'nobody-here' }), { code: 'process.user_unavailable' })
  const { data, created } = await create()
  assert.deepEqual([created, data.status, data.user], [true, 'active', null])
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    [data.id],
  )
  // Nobody had heard of the refused one.
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['process.created'],
  )
  await assert.rejects(create({ user: 'nobody-here' }), { code: 'process.name_taken' })
  fleet.host.write(`etc/systemd/system/orbit-process-${data.id + 1}-other.service`, '[Service]\n')
  await assert.rejects(create({ name: 'other' }), { code: 'process.unit_conflict' })
  // Nothing is left of it, and the next one has another id.
  assert.equal((await create({ name: 'other', command: ['/bin/false'] })).created, true)
})

test('a Process of an earlier version that met a unit of somebody else can be removed, and the unit stays', async () => {
  await using fleet = await startServiceFleet()
  const { create, destroy, list } = world(fleet)
  const { data } = await create()
  const file = `etc/systemd/system/${unitOf(data)}`
  fleet.host.write(file, '[Service]\n')
  const { db } = fleet.store
  for (const status of ['failed', 'removing'] as const) {
    const values = { id: data.id, node_id: fleet.node.id, name: data.name }
    await db.deleteFrom('processes').execute()
    await addProcess(fleet.store, { ...values, status, error_code: 'process.unit_conflict' })
    await destroy(data.id)
    assert.deepEqual(await list(), [])
    assert.equal(fleet.host.read(file), '[Service]\n')
  }
})

test('the status of an own action wins over the agent for 30 seconds, then the agent over the Node [PROC-037, PROC-038]', async () => {
  await using fleet = await startServiceFleet()
  const { create, start, list } = world(fleet)
  const { data } = await create()
  await start(data.id)
  const views = fleet.domains.agents.views
  const channel = views.channel(fleet.node.id)
  const member = `agent.${fleet.node.id}`
  channel.joined(new Map([[member, { version: null }]]))
  channel.reported(member, {
    event: 'client-snapshot',
    data: {
      sequence: 1,
      at: '2026-01-01T00:00:00Z',
      docker: 'absent',
      part: 1,
      parts: 1,
      units: [
        { name: unitOf(data).replace('.service', ''), runtime: 'systemd', runtime_status: 'deactivating' },
      ],
    },
  })
  assert.equal((await list())[0]?.runtime_status, 'active')
  // The later one is by a clock that was set back since.
  for (const milliseconds of [-31_000, 3_600_000]) {
    const observed_at = new Date(Date.now() + milliseconds).toISOString()
    await fleet.store.db.updateTable('processes').set({ observed_at }).execute()
    assert.equal((await list())[0]?.runtime_status, 'deactivating')
  }
  channel.left()
  fleet.host.systemd.kill(unitOf(data))
  assert.equal((await list())[0]?.runtime_status, 'inactive')
})

test('a list holds what the caller may address, of one owner if asked [PROC-011]', async () => {
  await using fleet = await startServiceFleet()
  const { create, list, handlers } = world(fleet)
  const { data } = await create()
  const ids = async (input: InputOf<'process:list'>) => (await list(input)).map(({ id }) => id)
  assert.deepEqual(await ids({ target_type: 'node' }), [data.id])
  assert.deepEqual(await ids({ target_type: 'node', target_id: fleet.node.id }), [data.id])
  assert.deepEqual(await ids({ target_type: 'node', target_id: fleet.node.id + 1 }), [])
  assert.deepEqual(await ids({ target_type: 'instance' }), [])
  await assert.rejects(ids({ target_id: 1 }), { code: 'validation.failed' })
  const stranger = fakeCall({ caller: { ...asCaller(fleet.node), id: 99 } })
  assert.deepEqual((await handlers['process:list']({ call: stranger, input: {} })).data, [])
})

/** On the Node of the fleet; its release is asked of deployments. */
async function addOwner({ store, node }: ServiceFleet, environment: 'development' | 'production') {
  const { id } = await addProject(store)
  const place = { project_id: id, node_id: node.id, environment }
  const production = { production_user: 'root', production_home: '/home/shop' }
  return addInstance(store, { ...place, ...(environment === 'production' && production) })
}

test('a unit of a development Instance runs and does not start at boot [PROC-026, PROC-030]', async () => {
  await using fleet = await startServiceFleet()
  const { create } = world(fleet)
  const { id } = await addOwner(fleet, 'development')
  const { data } = await create({ target_type: 'instance', target_id: id, start: true })
  assert.deepEqual([data.desired_state, data.runtime_status], ['running', 'active'])
  assert.equal(fleet.host.systemd.isActive(unitOf(data)), true)
  assert.equal(fleet.host.systemd.isEnabled(unitOf(data)), false)
  const { data: idle } = await create({ target_type: 'instance', target_id: id, name: 'idle' })
  assert.equal(idle.desired_state, 'stopped')
})

test('a unit of an Instance names the domain of its Route for its development server [PROC-034]', async () => {
  await using fleet = await startServiceFleet()
  const { create } = world(fleet)
  const instance = await addOwner(fleet, 'development')
  await addRoute(fleet.store, instance)
  await fleet.store.db.updateTable('instances').set({ vite_port: 15_173 }).execute()
  const { data } = await create({ target_type: 'instance', target_id: instance.id })
  const variables = [...(fileOf(fleet, data) ?? '').matchAll(/^Environment="?(FLEET_[^"\n]*)/gm)]
  assert.deepEqual(
    variables.map(([, variable]) => variable),
    [
      'FLEET_DEV_SERVER_PORT=15173',
      'FLEET_DEV_SERVER_HOST=shop.example',
      'FLEET_DEV_SERVER_PATH=/__fleet/vite',
      'FLEET_DEV_SERVER_ORIGIN=https://shop.example/__fleet/vite',
    ],
  )
})

test('a production Instance without a release takes a stopped Process and starts none [PROC-032, PROC-041]', async () => {
  await using fleet = await startServiceFleet()
  const { create, start, restart, list } = world(fleet)
  const owner = { target_type: 'instance', target_id: (await addOwner(fleet, 'production')).id } as const
  const { data } = await create(owner)
  assert.equal(data.status, 'active')
  const unavailable = { code: 'process.release_unavailable', status: 409 }
  await assert.rejects(start(data.id), unavailable)
  await assert.rejects(restart(data.id), unavailable)
  await assert.rejects(create({ ...owner, name: 'other', start: true }), unavailable)
  assert.deepEqual(
    (await list()).map(({ name, desired_state }) => [name, desired_state]),
    [['queue', 'stopped']],
  )
})

test('a Process or an Instance that another operation uses refuses with its own code [PROC-041]', async () => {
  await using fleet = await startServiceFleet()
  const { handlers, create } = world(fleet)
  const { id } = await addOwner(fleet, 'development')
  const { data } = await create({ target_type: 'instance', target_id: id })
  for (const [name, code] of [
    [`process:${data.id}`, 'process.runtime_lock_failed'],
    [`instance:${id}:operation`, 'process.operation_busy'],
  ] as const) {
    await using _held = await fleet.store.locks.acquire({
      name,
      operation: 'process:start',
      requestId: 'request-1',
      waitMilliseconds: 0,
      leaseSeconds: 60,
    })
    for (const action of ['start', 'stop', 'restart'] as const) {
      const call = fakeCall({ deadline: new Deadline(systemClock, 20.1, 20) })
      await assert.rejects(handlers[`process:${action}`]({ call, input: { process: data.id } }), {
        code,
        status: 409,
      })
    }
  }
})

test('usage is that of every Process, with nulls where nothing runs [EV-037]', async () => {
  await using fleet = await startServiceFleet()
  const { call, create } = world(fleet)
  const { data: stopped } = await create()
  const { data: running } = await create({ name: 'runs', start: true })
  const [first, second] = await fleet.domains.processes.usage.sample(call)
  assert.deepEqual(first, { id: stopped.id, cpu: null, memoryBytes: null })
  assert.deepEqual({ ...second, cpu: null }, { id: running.id, cpu: null, memoryBytes: 4096 })
  assert.ok((second?.cpu ?? 0) > 0.5)
})

test('a Process restarts never and is not kept alive unless that is asked for [PROC-004]', async () => {
  await using fleet = await startServiceFleet()
  const { create, list } = world(fleet)
  await create()
  await create({ name: 'kept', restart_policy: 'on-failure', keep_alive: true })
  assert.deepEqual(
    (await list()).map(({ restart_policy, keep_alive }) => [restart_policy, keep_alive]),
    [
      ['never', false],
      ['on-failure', true],
    ],
  )
})

test('a Process whose Instance or own lock is held is refused with the code of the lock [PROC-041]', async () => {
  await using fleet = await startServiceFleet()
  const { handlers, create, start } = world(fleet)
  const { id: instance } = await addOwner(fleet, 'development')
  const { data } = await create({ target_type: 'instance', target_id: instance })
  const { locks } = fleet.store
  const hold = (name: string) =>
    locks.acquire({
      name,
      operation: 'env:sync',
      requestId: 'another',
      leaseSeconds: 60,
      waitMilliseconds: 0,
    })
  const impatient = (process: number) => {
    const call = fakeCall({ caller: asCaller(fleet.node), deadline: new Deadline(systemClock, 21, 20) })
    return handlers['process:start']({ call, input: { process } })
  }
  const ofInstance = await hold(`instance:${instance}:operation`)
  await assert.rejects(impatient(data.id), { code: 'process.operation_busy', status: 409 })
  await ofInstance[Symbol.asyncDispose]()
  const ofProcess = await hold(`process:${data.id}`)
  await assert.rejects(impatient(data.id), { code: 'process.runtime_lock_failed', status: 409 })
  await ofProcess[Symbol.asyncDispose]()
  assert.equal((await start(data.id)).data.runtime_status, 'active')
})
