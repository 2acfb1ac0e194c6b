import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, type InputOf } from '@fleet/contract'
import {
  addDatabase,
  addInstance,
  addProcess,
  addProject,
  addSchedule,
  asCaller,
  fakeCall,
  forEachDialect,
  localSession,
  type ServiceFleet,
  startServiceFleet,
} from '@fleet/testing'

type Environments = InputOf<'project:process-definition:create'>['environments']

const SECRET = 'a-canary-of-a-copy'

/** A Project with definitions of both kinds, and an Instance of it that is being prepared. */
async function world(fleet: ServiceFleet, environment: 'development' | 'production' = 'production') {
  const { store, node, host, domains } = fleet
  host.install('systemd-analyze', 'case "$*" in "calendar -- "*nonsense*) exit 1 ;; esac')
  host.docker.addImage('cache:1')
  const project = await addProject(store)
  const instance = await addInstance(store, {
    project_id: project.id,
    node_id: node.id,
    environment,
    status: 'checkout_prepared',
    ...(environment === 'production' && { production_user: 'root', production_home: host.at('home/shop') }),
  })
  const call = fakeCall({ caller: asCaller(node) })
  const session = localSession(host.pool, { node, call })
  const { handlers } = domains.projects
  const define = {
    unit: (name: string, environments: Environments, command = '/bin/true') =>
      handlers['project:process-definition:create']({
        call,
        input: { project: project.id, name, environments, spec: { runtime: 'systemd', command: [command] } },
      }),
    container: (name: string) =>
      handlers['project:process-definition:create']({
        call,
        input: {
          project: project.id,
          name,
          environments: ['production'],
          spec: {
            runtime: 'docker',
            command: ['serve'],
            image: 'cache:1',
            environment: [`TOKEN=${SECRET}`],
            restart_policy: 'always',
            keep_alive: true,
          },
        },
      }),
    schedule: (name: string, environments: Environments, calendar = 'daily') =>
      handlers['project:schedule-definition:create']({
        call,
        input: {
          project: project.id,
          name,
          environments,
          spec: { calendar, command: 'true', timeout_seconds: 60 },
        },
      }),
  }
  return {
    call,
    define,
    project,
    instance,
    copy: () => domains.instanceDefinitions.copy(session, instance.id),
    requireInstallable: () => domains.instanceDefinitions.requireInstallable(session, project.id),
    processes: async () =>
      (await domains.processes.handlers['process:list']({ call, input: {} })).data.map((shown) => ({
        ...shown,
        unit: host.read(`etc/systemd/system/orbit-process-${shown.id}-${shown.name}.service`),
      })),
    schedules: async () => (await domains.schedules.handlers['schedule:list']({ call, input: {} })).data,
  }
}

const names = (records: ReadonlyArray<{ readonly name: string }>): string[] => records.map(({ name }) => name)

forEachDialect(
  'a production Instance gets each definition for production: Processes stopped, Schedules with disabled timers [PRJ-079, PRJ-084]',
  async (dialect) => {
    await using fleet = await startServiceFleet(dialect)
    const at = await world(fleet)
    await at.define.unit('queue', ['development', 'production'])
    await at.define.unit('dev', ['development'])
    await at.define.container('cache')
    await at.define.schedule('nightly', ['production'])
    await at.define.schedule('never', ['development'])
    await at.copy()
    const [cache, queue, ...others] = await at.processes()
    assert.deepEqual(others, [])
    assert.ok(cache && queue)
    assert.deepEqual(
      [cache, queue].map((shown) => [shown.name, shown.desired_state, shown.status, shown.target_id]),
      [
        ['cache', 'stopped', 'active', at.instance.id],
        ['queue', 'stopped', 'active', at.instance.id],
      ],
    )
    assert.match(queue.unit ?? '', /^WorkingDirectory=.*home\/shop\/current$/m)
    const { systemd, docker } = fleet.host
    assert.equal(systemd.isActive(`orbit-process-${queue.id}-queue.service`), false)
    assert.equal(systemd.isEnabled(`orbit-process-${queue.id}-queue.service`), false)
    const container = docker.container(`orbit-process-${cache.id}-cache`)
    assert.ok(container)
    assert.deepEqual(
      [cache.runtime_status, cache.restart_policy, cache.keep_alive],
      ['created', 'always', true],
    )
    assert.ok(JSON.stringify(container).includes(SECRET))
    const schedules = await at.schedules()
    assert.deepEqual(
      schedules.map(({ name, desired_timer_state, status }) => [name, desired_timer_state, status]),
      [['nightly', 'disabled', 'active']],
    )
    const timer = `fleet-schedule-${schedules[0]?.id}.timer`
    assert.ok(fleet.host.read(`etc/systemd/system/${timer}`))
    assert.deepEqual([systemd.isActive(timer), systemd.isEnabled(timer)], [false, false])
    assert.deepEqual(
      at.call.events.map(({ type }) => type),
      ['process.created', 'process.created', 'schedule.created'],
    )
  },
)

forEachDialect(
  'a copy depends on the connections of its definition; one that does not exist refuses the preparation',
  async (dialect) => {
    await using fleet = await startServiceFleet(dialect)
    const at = await world(fleet)
    const { call } = at
    const spec = { runtime: 'systemd' as const, command: ['/bin/true'], connections: ['cache:REDIS'] }
    const definition = { project: at.project.id, name: 'queue', environments: ['production' as const], spec }
    const { handlers } = fleet.domains.projects
    const { data } = await handlers['project:process-definition:create']({ call, input: definition })
    assert.deepEqual(data.spec.connections, ['cache:REDIS'])
    await assert.rejects(at.copy(), { code: 'database.not_found', details: { slug: 'cache' } })
    assert.deepEqual(await at.processes(), [])
    const cache = { slug: 'cache', driver: 'redis', host: 'cache.internal' } as const
    await fleet.domains.databases.handlers['database:create']({ call, input: cache })
    await at.copy()
    const [copy] = await at.processes()
    assert.deepEqual(copy?.runtime_config.connections, ['cache:REDIS'])
    const values = fleet.host.read(`etc/fleet/processes/${copy?.id}.env`) ?? ''
    assert.match(values, /^REDIS_HOST="cache\.internal"$/m)
    await fleet.store.db.updateTable('instances').set({ status: 'active' }).execute()
    const input = { slug: 'cache', host: 'next.internal' }
    await fleet.domains.databases.handlers['database:update']({ call, input })
    const later = fleet.host.read(`etc/fleet/processes/${copy?.id}.env`) ?? ''
    assert.match(later, /^REDIS_HOST="next\.internal"$/m)
    assert.equal((await at.processes())[0]?.desired_state, 'stopped')
  },
)

test('a development Instance gets nothing of the definitions', async () => {
  await using fleet = await startServiceFleet()
  const at = await world(fleet, 'development')
  await at.define.unit('queue', ['development', 'production'])
  await at.define.schedule('nightly', ['development', 'production'])
  await at.copy()
  assert.deepEqual([await at.processes(), await at.schedules()], [[], []])
})

test('what the Node cannot run of the definitions for production is found out before there is an Instance [PRJ-084]', async () => {
  await using fleet = await startServiceFleet()
  const at = await world(fleet)
  await at.define.unit('queue', ['production'])
  await at.define.container('cache')
  await at.define.schedule('nightly', ['production'])
  await at.define.schedule('dev', ['development'], 'nonsense')
  await at.requireInstallable()
  await at.define.schedule('broken', ['production'], 'nonsense')
  await assert.rejects(at.requireInstallable(), {
    code: 'schedule.calendar_invalid',
    message: /^The Schedule definition broken of the Project has a calendar /,
  })
  fleet.host.docker.uninstall()
  await assert.rejects(at.requireInstallable(), { code: 'node.capability_missing' })
  const declared: readonly string[] = catalogue.find(({ name }) => name === 'instance:clone')?.errors ?? []
  for (const code of ['node.capability_missing', 'schedule.calendar_invalid'])
    assert.ok(declared.includes(code), code)
  assert.deepEqual([await at.processes(), await at.schedules()], [[], []])
})

test('a database connection that the definitions for production depend on is asked for before there is an Instance', async () => {
  await using fleet = await startServiceFleet()
  const at = await world(fleet)
  const create = fleet.domains.projects.handlers['project:process-definition:create']
  const define = (name: string, environments: Environments, connections: string[]) =>
    create({
      call: at.call,
      input: {
        project: at.project.id,
        name,
        environments,
        spec: { runtime: 'systemd', command: ['/bin/true'], connections },
      },
    })
  await addDatabase(fleet.store, { slug: 'cache' })
  await define('queue', ['production'], ['cache'])
  await define('dev', ['development'], ['gone'])
  await at.requireInstallable()
  await define('worker', ['production'], ['cache', 'gone:READ'])
  await assert.rejects(at.requireInstallable(), {
    code: 'database.not_found',
    message: /^The Process definition worker of the Project depends on /,
    details: { slug: 'gone', definition: 'worker', project_id: at.project.id },
  })
  await assert.rejects(at.copy(), { code: 'database.not_found' })
})

test('a repeated copy completes what an attempt began, and changes no copy after a change of its definition [PRJ-083]', async () => {
  await using fleet = await startServiceFleet()
  const at = await world(fleet)
  await at.define.unit('queue', ['production'])
  await at.define.container('cache')
  await at.define.schedule('broken', ['production'], 'nonsense')
  await assert.rejects(at.copy(), {
    code: 'schedule.calendar_invalid',
    message: /^The Schedule definition broken of the Project has a calendar /,
    details: {
      node: { id: fleet.node.id, name: fleet.node.name },
      reason: 'invalid',
      definition: 'broken',
      calendar: 'nonsense',
      project_id: at.project.id,
    },
  })
  assert.deepEqual(names(await at.processes()), ['cache', 'queue'])
  // What stays is told, since the repeat does not do it again.
  const published = () => at.call.published.map(({ type }) => type)
  const told = ['process.created', 'process.created']
  assert.deepEqual(published(), told)
  const { handlers } = fleet.domains.projects
  await handlers['project:process-definition:update']({
    call: at.call,
    input: {
      project: at.project.id,
      name: 'queue',
      environments: ['production'],
      spec: { runtime: 'systemd', command: ['/bin/false'] },
    },
  })
  await handlers['project:schedule-definition:update']({
    call: at.call,
    input: {
      project: at.project.id,
      name: 'broken',
      environments: ['production'],
      spec: { calendar: 'daily', command: 'true', timeout_seconds: 60 },
    },
  })
  await at.copy()
  assert.deepEqual(published(), [...told, 'schedule.created'])
  const before = { processes: await at.processes(), schedules: await at.schedules() }
  assert.match(before.processes.find(({ name }) => name === 'queue')?.unit ?? '', /bin\/true/)
  const asked = fleet.host.pool.commands.length
  await handlers['project:schedule-definition:update']({
    call: at.call,
    input: {
      project: at.project.id,
      name: 'broken',
      environments: ['production'],
      spec: { calendar: 'weekly', command: 'false', timeout_seconds: 1 },
    },
  })
  assert.equal(fleet.host.pool.commands.length, asked)
  await at.copy()
  assert.deepEqual({ processes: await at.processes(), schedules: await at.schedules() }, before)
})

test('a name that the Instance has already stops the copy before anything is installed [PRJ-085]', async () => {
  await using fleet = await startServiceFleet()
  const at = await world(fleet)
  const { store } = fleet
  await at.define.unit('cache', ['production'])
  await at.define.unit('queue', ['production'])
  const process = await addProcess(store, {
    instance_id: at.instance.id,
  })
  await assert.rejects(at.copy(), { code: 'process.name_taken', status: 409 })
  assert.deepEqual(names(await at.processes()), ['queue'])
  await store.db.deleteFrom('processes').where('id', '=', process.id).execute()
  await at.define.schedule('hourly', ['production'])
  await at.define.schedule('nightly', ['production'])
  await addSchedule(store, {
    id: '00000000-0000-4000-8000-000000000001',
    instance_id: at.instance.id,
    starts_enabled: 0,
    desired_timer_state: 'disabled',
  })
  await assert.rejects(at.copy(), { code: 'schedule.retry_conflict', status: 409 })
  assert.deepEqual(names(await at.schedules()), ['nightly'])
})

test('a Schedule of the definition that is being removed is not taken for its copy', async () => {
  await using fleet = await startServiceFleet()
  const at = await world(fleet)
  await at.define.schedule('hourly', ['production'])
  await at.define.schedule('nightly', ['production'])
  await at.copy()
  const { db } = fleet.store
  await db.deleteFrom('schedules').where('name', '=', 'hourly').execute()
  await db.updateTable('schedules').set({ status: 'removing' }).execute()
  const [going] = await at.schedules()
  await assert.rejects(at.copy(), {
    code: 'schedule.retry_conflict',
    details: { schedule_id: going?.id, status: 'removing' },
  })
  assert.deepEqual(names(await at.schedules()), ['nightly'])
  await db.deleteFrom('schedules').execute()
  await at.copy()
  assert.deepEqual(names(await at.schedules()), ['hourly', 'nightly'])
})

test('a Process of the definition that is being removed is not taken for its copy', async () => {
  await using fleet = await startServiceFleet()
  const at = await world(fleet)
  await at.define.unit('queue', ['production'])
  await at.copy()
  const { db } = fleet.store
  await db.updateTable('processes').set({ status: 'removing' }).execute()
  await assert.rejects(at.copy(), { code: 'process.name_taken' })
  await db.deleteFrom('processes').execute()
  await at.copy()
  assert.deepEqual(names(await at.processes()), ['queue'])
})
