import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { InputOf, ProcessData } from '@fleet/contract'
import { repairOf } from '@fleet/contract/doctor-codes'
import {
  addInstance,
  addNode,
  addProcess,
  addProject,
  asCaller,
  fakeCall,
  type FakeContainer,
  forEachDialect,
  type ServiceFleet,
  startServiceFleet,
} from '@fleet/testing'

type Input = InputOf<'process:create'>

const COMMAND = ['--listen', 'a b', '$HOME', '--', '-x']
const SECRET = 'a-canary-in-a-variable'
const VOLUMES = [
  { source: '/srv/a,b "c"', target: '/var/a', read_only: true },
  { source: 'data', target: '/var/b', read_only: false },
]

const given = ({ node }: ServiceFleet, more: Partial<Input> = {}): Input => ({
  target_type: 'node',
  target_id: node.id,
  name: 'web',
  runtime: 'docker',
  image: 'caddy:2',
  command: COMMAND,
  ...more,
})

function world(fleet: ServiceFleet) {
  fleet.host.docker.addImage('caddy:2')
  const { handlers } = fleet.domains.processes
  const call = fakeCall({ caller: asCaller(fleet.node) })
  return {
    call,
    create: (more: Partial<Input> = {}) => handlers['process:create']({ call, input: given(fleet, more) }),
    act: async (action: 'start' | 'stop' | 'restart', { id }: ProcessData) =>
      (await handlers[`process:${action}`]({ call, input: { process: id } })).data,
    destroy: async ({ id }: ProcessData, offline = false) =>
      (await handlers['process:destroy']({ call, input: { process: id, offline } })).data,
    list: async () => (await handlers['process:list']({ call, input: {} })).data,
    converge: () => fleet.domains.processes.artifact.converge(fleet.session, { force: true }),
  }
}

const nameOf = ({ id, name }: ProcessData): string => `orbit-process-${id}-${name}`
const containerOf = (fleet: ServiceFleet, data: ProcessData): FakeContainer =>
  fleet.host.docker.container(nameOf(data)) ?? assert.fail('there is no container')

const codesOf = async (fleet: ServiceFleet): Promise<readonly string[]> =>
  (await issuesOf(fleet)).map(({ code }) => code)

async function issuesOf(fleet: ServiceFleet) {
  const { data } = await fleet.domains.doctor.handlers['doctor:run']({
    call: fakeCall({ caller: asCaller(fleet.node, true) }),
    input: { node_id: fleet.node.id, families: ['process'] },
  })
  return data.nodes.flatMap(({ families }) => families.flatMap(({ issues }) => issues))
}

forEachDialect(
  'a container is created as the request says, with the marker of its Process, and its variables are never shown [PROC-002, PROC-003, PROC-009, PROC-022]',
  async (dialect) => {
    await using fleet = await startServiceFleet(dialect)
    const { call, create, list } = world(fleet)
    const environment = [`TOKEN=${SECRET}`, 'A= b#"c" ']
    const ports = ['127.0.0.1:8080:80/tcp']
    const { data, created } = await create({ environment, ports, volumes: VOLUMES })
    assert.equal(created, true)
    assert.equal(data.working_directory, '/app')
    assert.deepEqual(data.runtime_config, {
      command: COMMAND,
      preset: null,
      image: 'caddy:2',
      environment: ['A=[REDACTED]', 'TOKEN=[REDACTED]'],
      ports,
      volumes: VOLUMES,
    })
    assert.equal(data.runtime_status, 'created')
    const { labels, ...container } = containerOf(fleet, data)
    assert.deepEqual(container, {
      image: 'caddy:2',
      status: 'created',
      restart: 'no',
      options: [
        '--workdir=/app',
        '--stop-timeout=30',
        '--log-driver=json-file',
        '--log-opt=max-size=16m',
        '--log-opt=max-file=3',
        '--publish=127.0.0.1:8080:80/tcp',
        '--mount=type=bind,"source=/srv/a,b ""c""",target=/var/a,readonly',
        '--mount=type=volume,source=data,target=/var/b',
      ],
      command: COMMAND,
      environment: ['A= b#"c" ', `TOKEN=${SECRET}`],
      starts: 0,
    })
    assert.deepEqual([labels['fleet.managed'], labels['fleet.process.id']], ['true', String(data.id)])
    const seen = JSON.stringify([
      call.events,
      await list(),
      fleet.host.docker.calls(),
      fleet.host.pool.commands,
    ])
    assert.equal(seen.includes(SECRET), false)
    const rows = JSON.stringify(await fleet.store.db.selectFrom('processes').selectAll().execute())
    assert.equal(rows.includes(SECRET), false)
  },
)

test('a container is started, restarted, stopped and removed, and each answers the status read afterwards', async () => {
  await using fleet = await startServiceFleet()
  const { call, create, act, destroy, list } = world(fleet)
  const { data } = await create({ restart_policy: 'on-failure' })
  assert.equal((await act('start', data)).runtime_status, 'running')
  assert.deepEqual([containerOf(fleet, data).restart, containerOf(fleet, data).starts], ['on-failure', 1])
  assert.equal((await act('restart', data)).runtime_status, 'running')
  assert.equal(containerOf(fleet, data).starts, 2)
  assert.equal((await act('stop', data)).runtime_status, 'exited')
  // Docker would start it again at its next start.
  assert.equal(containerOf(fleet, data).restart, 'no')
  assert.equal((await list())[0]?.desired_state, 'stopped')
  assert.equal((await act('start', data)).runtime_status, 'running')
  assert.equal(containerOf(fleet, data).restart, 'on-failure')
  assert.deepEqual((await destroy(data)).retained_on_nodes, [])
  assert.deepEqual(fleet.host.docker.names(), [])
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['process.created', ...Array.from({ length: 4 }, () => 'process.status'), 'process.deleted'],
  )
})

test('an identical creation answers the stored Process whatever the order of its variables, another value of one is refused', async () => {
  await using fleet = await startServiceFleet()
  const { create } = world(fleet)
  const first = await create({ environment: ['A=1', 'B=2'], start: true })
  const calls = fleet.host.docker.calls().length
  const again = await create({ environment: ['B=2', 'A=1'] })
  assert.deepEqual([again.created, again.data.id], [false, first.data.id])
  const others: readonly Partial<Input>[] = [
    { environment: ['A=1', 'B=3'] },
    { image: 'caddy:3' },
    { ports: ['80:80'] },
    { volumes: VOLUMES },
  ]
  for (const other of others)
    await assert.rejects(create({ environment: ['A=1', 'B=2'], ...other }), {
      code: 'process.name_taken',
      details: { process_id: first.data.id, status: 'active', members: Object.keys(other) },
    })
  const later = fleet.host.docker.calls().slice(calls)
  assert.equal(
    later.some((line) => /create|start/.test(line)),
    false,
  )
})

test('a container of somebody else, or of another Process, is neither replaced, started, read nor removed [PROC-010]', async () => {
  await using fleet = await startServiceFleet()
  const { create, act, destroy, list } = world(fleet)
  const { data } = await create({ start: true })
  fleet.host.docker.remove(nameOf(data))
  const conflict = { code: 'process.container_conflict' }
  for (const labels of [{}, { 'fleet.managed': 'true', 'fleet.process.id': String(data.id + 1) }]) {
    fleet.host.docker.addForeign(nameOf(data), labels)
    await assert.rejects(act('start', data), conflict)
    await assert.rejects(act('stop', data), conflict)
    await assert.rejects(destroy(data), conflict)
    await fleet.store.db.updateTable('processes').set({ observed_at: null, status: 'active' }).execute()
    assert.equal((await list())[0]?.runtime_status, 'exited')
    const logs = fleet.domains.logs.handlers['process:logs']
    await assert.rejects(logs({ call: fakeCall(), input: { process: data.id, lines: 10 } }), {
      code: 'process.logs_failed',
    })
    assert.ok((await codesOf(fleet)).includes('process.runtime_missing'))
    assert.equal(fleet.host.docker.container(nameOf(data))?.status, 'running')
    fleet.host.docker.remove(nameOf(data))
  }
})

test('`always` on a Node with the role app-dev is `unless-stopped` [PROC-031]', async () => {
  await using fleet = await startServiceFleet()
  const { create } = world(fleet)
  const others = { 'app-dev': 'unless-stopped', database: 'always' } as const
  for (const role of ['app-dev', 'database'] as const) {
    const { id } = await addNode(fleet.store, { user: 'root', roles: [role] })
    const { data } = await create({ target_id: id, restart_policy: 'always', start: true })
    assert.equal(containerOf(fleet, data).restart, others[role])
    assert.equal(data.restart_policy, 'always')
  }
})

test('an image is pulled when it is not on the Node; what Docker refuses has its code, and the identical request resumes', async () => {
  await using fleet = await startServiceFleet()
  const { create, list } = world(fleet)
  const { docker } = fleet.host
  await assert.rejects(create({ image: 'late:1', start: true }), {
    code: 'process.image_unavailable',
    message: `The image late:1 is not on the Node ${fleet.node.name}, and Docker could not pull it. Check its name, or load it there (\`docker load\`).`,
    details: {
      node: { id: fleet.node.id, name: fleet.node.name },
      reason: 'no-image',
      image: 'late:1',
      step: 'unit',
    },
  })
  // A corrected one takes its place, as the Node has nothing of it.
  await assert.rejects(create({ image: 'later:1', start: true }), { code: 'process.image_unavailable' })
  await assert.rejects(create({ image: 'late:1', start: true }), { code: 'process.image_unavailable' })
  docker.publish('late:1')
  const { data } = await create({ image: 'late:1', start: true })
  assert.equal(data.runtime_status, 'running')

  const broken = `orbit-process-${data.id + 1}-other`
  const refusals = [
    [
      'driver failed programming external connectivity: Bind for 0.0.0.0:80 failed: port is already allocated',
      'process.port_unavailable',
      'port-taken',
    ],
    [
      'failed to create task for container: exec: "x": executable file not found in $PATH: unknown',
      'process.runtime_failed',
      'no-command',
    ],
    ['something else', 'process.runtime_failed', 'failed'],
  ] as const
  for (const [message, code, reason] of refusals) {
    docker.break(broken, message)
    await assert.rejects(
      create({ name: 'other', start: true }),
      (error: { code?: string; details?: { reason?: string } }) => {
        assert.deepEqual([error.code, error.details?.reason], [code, reason])
        assert.equal(JSON.stringify(error).includes(message), false)
        return true
      },
    )
  }
  docker.clearFaults()
  const failed = (await list()).find(({ name }) => name === 'other')
  assert.deepEqual([failed?.status, failed?.failed_step], ['failed', 'start'])
  assert.equal((await create({ name: 'other', start: true })).data.runtime_status, 'running')
  docker.fill()
  await assert.rejects(create({ name: 'third' }), {
    code: 'process.runtime_failed',
    details: { reason: 'disk-full', node: { id: fleet.node.id, name: fleet.node.name }, step: 'unit' },
  })
  docker.clearFaults()
  docker.uninstall()
  await assert.rejects(create({ name: 'third' }), { code: 'node.capability_missing' })
})

test('a Process whose container is gone is stopped [PROC-013]', async () => {
  await using fleet = await startServiceFleet()
  const { create, act } = world(fleet)
  const { data } = await create({ start: true })
  fleet.host.docker.remove(nameOf(data))
  const { runtime_status, desired_state } = await act('stop', data)
  assert.deepEqual([runtime_status, desired_state], ['exited', 'stopped'])
})

test('a creation that meets a container of somebody else leaves it, and nothing of its own [PROC-010]', async () => {
  await using fleet = await startServiceFleet()
  const { create, list } = world(fleet)
  const { data } = await create()
  const taken = `orbit-process-${data.id + 1}-other`
  fleet.host.docker.addForeign(taken, {})
  await assert.rejects(create({ name: 'other' }), { code: 'process.container_conflict' })
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    [data.id],
  )
  assert.equal(fleet.host.docker.container(taken)?.status, 'running')
  assert.equal((await create({ name: 'other' })).created, true)
})

test('an Instance with a container is stopped and removed on a Node without Docker, which never had it', async () => {
  await using fleet = await startServiceFleet()
  const { create, list } = world(fleet)
  const project = await addProject(fleet.store)
  const instance = await addInstance(fleet.store, {
    project_id: project.id,
    node_id: fleet.node.id,
    status: 'active',
  })
  fleet.host.docker.uninstall()
  await assert.rejects(create({ target_type: 'instance', target_id: instance.id }), {
    code: 'node.capability_missing',
  })
  assert.deepEqual(await list(), [])
  await addProcess(fleet.store, {
    instance_id: instance.id,
    runtime: 'docker',
    runtime_config: {
      command: [],
      preset: null,
      container: { image: 'mysql:8.4', ports: [], volumes: [], variables: [] },
    },
    status: 'failed',
    failed_step: 'unit',
    error_code: 'node.capability_missing',
  })
  const { runtime } = fleet.domains.processes
  await runtime.stop(fleet.session, instance.id)
  await runtime.remove(fleet.session, instance.id)
  assert.deepEqual(await list(), [])
})

test('a start that leaves its container out of the next start of Docker has failed', async () => {
  await using fleet = await startServiceFleet()
  const { create, act } = world(fleet)
  const { data } = await create({ restart_policy: 'on-failure' })
  const docker = fleet.host.read('fake/docker') ?? assert.fail('there is no Docker')
  fleet.host.install('docker', `case "$*" in *update*) exit 1 ;; esac\n${docker}`)
  await assert.rejects(act('start', data), { code: 'process.runtime_failed' })
  fleet.host.install('docker', docker)
  assert.equal((await act('start', data)).runtime_status, 'running')
})

test('a Docker that was stopped is started for a start, and one that stays silent is named', async () => {
  await using fleet = await startServiceFleet()
  const { create, act, list } = world(fleet)
  const { data } = await create()
  fleet.host.docker.silence()
  await assert.rejects(act('start', data), { code: 'process.runtime_failed' })
  assert.ok(fleet.host.systemd.calls().includes('start docker.service'))
  await fleet.store.db.updateTable('processes').set({ observed_at: null }).execute()
  assert.equal((await list())[0]?.runtime_status, null)
})

test('Doctor names a container that is gone, differs, or does not run, and a converge creates and starts it again [DRF-055]', async () => {
  await using fleet = await startServiceFleet()
  const { create, converge, act } = world(fleet)
  const { data } = await create({
    start: true,
    restart_policy: 'unless-stopped',
    environment: [`TOKEN=${SECRET}`],
  })
  const { docker } = fleet.host
  const name = nameOf(data)
  const policy = containerOf(fleet, data).restart
  const breaks = [
    ['process.runtime_missing', () => docker.remove(name)],
    ['process.unit_mismatch', () => docker.write(name, 'label-fleet.process.digest', 'another')],
    ['process.state_mismatch', () => docker.write(name, 'status', 'exited')],
    // It runs, and would not after the next boot.
    ['process.state_mismatch', () => docker.write(name, 'restart', 'no')],
  ] as const
  for (const [code, damage] of breaks) {
    assert.deepEqual(await codesOf(fleet), [])
    damage()
    assert.deepEqual(await codesOf(fleet), [code])
    assert.equal(await converge(), 'applied')
    assert.deepEqual(await codesOf(fleet), [])
    assert.equal(containerOf(fleet, data).status, 'running')
    assert.equal(containerOf(fleet, data).restart, policy)
    assert.deepEqual(containerOf(fleet, data).environment, [`TOKEN=${SECRET}`])
  }
  docker.silence()
  assert.deepEqual(await codesOf(fleet), ['process.state_mismatch'])
  docker.clearFaults()
  await act('stop', data)
  // Nobody knows whether it is stopped.
  docker.silence()
  assert.deepEqual(await codesOf(fleet), ['process.inspection_failed'])
  docker.clearFaults()
  docker.write(name, 'status', 'running')
  assert.deepEqual(await codesOf(fleet), ['process.state_mismatch'])
  await converge()
  assert.equal(containerOf(fleet, data).status, 'exited')
})

test('Doctor sends to the log of a container that ended with an error, or that Docker waits to start again, before anything starts it [DRF-055]', async () => {
  await using fleet = await startServiceFleet()
  const { create } = world(fleet)
  const { data } = await create({ start: true, restart_policy: 'always' })
  const { docker } = fleet.host
  const name = nameOf(data)
  for (const [status, exit, observed, command] of [
    ['exited', '0', 'stopped', `node:converge ${fleet.node.id} --force`],
    ['exited', '137', 'failed', `process:stop ${data.id}`],
    ['restarting', '1', 'restarting', `process:stop ${data.id}`],
  ] as const) {
    docker.write(name, 'status', status)
    docker.write(name, 'exit', exit)
    const [issue, ...others] = await issuesOf(fleet)
    assert.deepEqual(
      [issue?.code, issue?.expected, issue?.observed, others],
      ['process.state_mismatch', 'running', observed, []],
    )
    assert.ok(issue)
    const { id: node_id, name: node_name } = fleet.node
    assert.equal(repairOf(issue.code, { ...issue, node_id, node_name }).command, command)
  }
  // One that is to be stopped was.
  await fleet.store.db.updateTable('processes').set({ desired_state: 'stopped' }).execute()
  docker.write(name, 'status', 'exited')
  assert.deepEqual(await codesOf(fleet), [])
  docker.write(name, 'status', 'restarting')
  assert.deepEqual(await codesOf(fleet), ['process.state_mismatch'])
})

test('a Docker that hangs is asked once, for 5 seconds [DRF-055, DRF-056]', async () => {
  await using fleet = await startServiceFleet()
  const { create } = world(fleet)
  for (const name of ['web', 'other']) await create({ name, start: true })
  const docker = fleet.host.read('fake/docker') ?? assert.fail('there is no Docker')
  fleet.host.install('docker', `echo hung >>"$FAKE/docker/calls"\nsleep 600\n`)
  assert.deepEqual(await codesOf(fleet), ['process.state_mismatch', 'process.state_mismatch'])
  assert.deepEqual(
    fleet.host.docker.calls().filter((line) => line === 'hung'),
    ['hung'],
  )
  fleet.host.install('docker', docker)
  assert.deepEqual(await codesOf(fleet), [])
})

test('what Docker warns of on its error output changes nothing [PROC-010]', async () => {
  await using fleet = await startServiceFleet()
  const { create, act, destroy } = world(fleet)
  const docker = fleet.host.read('fake/docker') ?? assert.fail('there is no Docker')
  const warning = 'WARNING: Error loading config file: /root/.docker/config.json: permission denied'
  fleet.host.install('docker', `echo '${warning}' >&2\n${docker}`)
  const { data } = await create({ start: true })
  assert.deepEqual(await codesOf(fleet), [])
  const call = fakeCall({ caller: asCaller(fleet.node) })
  await fleet.domains.logs.handlers['process:logs']({ call, input: { process: data.id, lines: 2 } })
  assert.equal((await act('stop', data)).runtime_status, 'exited')
  await destroy(data)
  assert.deepEqual(fleet.host.docker.names(), [])
})

test('neither Doctor nor a list starts a Docker that somebody stopped [DRF-002]', async () => {
  await using fleet = await startServiceFleet()
  const { create, act, list } = world(fleet)
  const { data } = await create({ start: true })
  fleet.host.systemd.addForeign('docker.service')
  const asked = () => fleet.host.docker.calls().length
  const before = asked()
  assert.deepEqual(await codesOf(fleet), ['process.state_mismatch'])
  await fleet.store.db.updateTable('processes').set({ observed_at: null }).execute()
  assert.equal((await list())[0]?.runtime_status, null)
  assert.equal(asked(), before)
  // Whoever asks for a change asks for Docker too.
  assert.equal((await act('start', data)).runtime_status, 'running')
  fleet.host.write('systemd/active/docker.service', '')
  assert.deepEqual(await codesOf(fleet), [])
  assert.equal((await list())[0]?.runtime_status, 'running')
})

test('a container that somebody paused runs again with a start, a restart and a converge', async () => {
  await using fleet = await startServiceFleet()
  const { create, converge, act } = world(fleet)
  const { data } = await create({ start: true })
  const pause = () => fleet.host.docker.write(nameOf(data), 'status', 'paused')
  for (const repair of [() => act('start', data), () => act('restart', data), converge]) {
    pause()
    assert.deepEqual(await codesOf(fleet), ['process.state_mismatch'])
    await repair()
    assert.equal(containerOf(fleet, data).status, 'running')
  }
})

test('a new container replaces the old one only once it exists, and what an interrupted one left is removed', async () => {
  await using fleet = await startServiceFleet()
  const { create, converge, destroy } = world(fleet)
  const { data } = await create({ start: true })
  const { docker } = fleet.host
  const name = nameOf(data)
  docker.write(name, 'label-fleet.process.digest', 'another')
  docker.fill()
  await converge()
  assert.equal(containerOf(fleet, data).status, 'running')
  docker.clearFaults()
  const own = { 'fleet.managed': 'true', 'fleet.process.id': String(data.id) }
  docker.addForeign(`${name}-new`, own)
  assert.equal(await converge(), 'applied')
  assert.deepEqual(docker.names(), [name])
  docker.addForeign(`${name}-new`, own)
  await destroy(data)
  assert.deepEqual(docker.names(), [])
})

test('a new container has the volumes without a name of the old one, also after a replacement that was cut off; a removal deletes them', async () => {
  await using fleet = await startServiceFleet()
  const { create, converge, destroy } = world(fleet)
  const { docker } = fleet.host
  docker.addImage('caddy:2', { hasVolume: true })
  const { data } = await create({ start: true })
  const name = nameOf(data)
  const volume = docker.volumeOf(name)
  writeFileSync(join(volume, 'photo'), 'taken once')
  docker.write(name, 'label-fleet.process.digest', 'another')
  assert.equal(await converge(), 'applied')
  assert.deepEqual([docker.volumeOf(name), containerOf(fleet, data).status], [volume, 'running'])
  docker.rename(name, `${name}-new`)
  docker.write(`${name}-new`, 'label-fleet.process.digest', 'another')
  assert.equal(await converge(), 'applied')
  assert.deepEqual([docker.names(), docker.volumeOf(name)], [[name], volume])
  assert.equal(readFileSync(join(volume, 'photo'), 'utf8'), 'taken once')
  await destroy(data)
  assert.equal(existsSync(volume), false)
})

test('a container of a Process that was removed while its Node was silent goes with the next converge', async () => {
  await using fleet = await startServiceFleet()
  const { create, destroy, converge } = world(fleet)
  const { data } = await create({ start: true })
  await fleet.store.db.updateTable('nodes').set({ status: 'failed' }).execute()
  const { retained_on_nodes } = await destroy(data, true)
  assert.deepEqual(retained_on_nodes, [{ node_id: fleet.node.id, node: fleet.node.name, unit: nameOf(data) }])
  await fleet.store.db.updateTable('nodes').set({ status: 'active' }).execute()
  assert.equal(await converge(), 'applied')
  assert.deepEqual(fleet.host.docker.names(), [])
})

test('the log of a Process is that of its container, with its variables masked [PROC-014]', async () => {
  await using fleet = await startServiceFleet()
  const { create } = world(fleet)
  const { data } = await create({ start: true, environment: [`TOKEN=${SECRET}`] })
  fleet.host.docker.write(nameOf(data), 'log', `old\nbegan\ntoken ${SECRET}\n`)
  const { data: read } = await fleet.domains.logs.handlers['process:logs']({
    call: fakeCall({ caller: asCaller(fleet.node) }),
    input: { process: data.id, lines: 2 },
  })
  assert.equal(read.logs, 'began\ntoken [REDACTED]')
})

test('the last lines of a container show nothing of a key that begins above them [PROC-014, GW-025]', async () => {
  await using fleet = await startServiceFleet()
  const { create } = world(fleet)
  const { data } = await create({ start: true })
  const key = '-----BEGIN PRIVATE KEY-----\nMII\nMII\n-----END PRIVATE KEY-----\n'
  fleet.host.docker.write(nameOf(data), 'log', `began\n${key}`)
  const { data: read } = await fleet.domains.logs.handlers['process:logs']({
    call: fakeCall({ caller: asCaller(fleet.node) }),
    input: { process: data.id, lines: 2 },
  })
  assert.equal(read.logs, '[REDACTED]\n[REDACTED]')
})

test('a container that another domain runs loses the variables of its first run with the second one', async () => {
  await using fleet = await startServiceFleet()
  const { list, act, call } = world(fleet)
  const { servers } = fleet.domains.processes
  const request = {
    node: fleet.node,
    name: 'main',
    image: 'caddy:2',
    command: ['mysqld'],
    environment: ['A=1'],
  }
  const process = await servers.reserve(call, request)
  assert.equal((await servers.reserve(call, request)).id, process.id)
  await assert.rejects(servers.reserve(call, { ...request, command: ['other'] }), {
    code: 'process.name_taken',
  })
  const { Secret } = await import('@fleet/kernel')
  const once = new Map([['ROOT_PASSWORD', new Secret(SECRET)]])
  assert.equal(await servers.run(fleet.session, process.id, once), 'running')
  const of = () => fleet.host.docker.container(servers.nameOf(process))
  assert.deepEqual(of()?.environment, ['A=1', `ROOT_PASSWORD=${SECRET}`])
  assert.equal((await list())[0]?.status, 'creating')
  assert.equal(await servers.run(fleet.session, process.id), 'running')
  assert.deepEqual([of()?.environment, of()?.restart], [['A=1'], 'unless-stopped'])
  assert.equal(JSON.stringify(of()).includes(SECRET), false)
  const [active] = await list()
  assert.deepEqual([active?.status, active?.desired_state], ['active', 'running'])
  assert.deepEqual(await codesOf(fleet), [])
  assert.equal((await act('restart', active ?? assert.fail())).runtime_status, 'running')
  await servers.remove(call, process.id, fleet.session)
  assert.deepEqual([fleet.host.docker.names(), await list()], [[], []])
})

test('an agent that found no Docker says nothing of a container, so its Node is asked [PROC-039]', async () => {
  await using fleet = await startServiceFleet()
  const { create, list } = world(fleet)
  await create({ start: true })
  const channel = fleet.domains.agents.views.channel(fleet.node.id)
  const member = `agent.${fleet.node.id}`
  channel.joined(new Map([[member, { version: null }]]))
  const statusWith = async (docker: 'available' | 'absent', sequence: number) => {
    const data = { sequence, at: '2026-01-01T00:00:00Z', docker, part: 1, parts: 1, units: [] }
    channel.reported(member, { event: 'client-snapshot', data })
    await fleet.store.db.updateTable('processes').set({ observed_at: null }).execute()
    return (await list())[0]?.runtime_status
  }
  assert.equal(await statusWith('available', 1), 'exited')
  assert.equal(await statusWith('absent', 2), 'running')
})
