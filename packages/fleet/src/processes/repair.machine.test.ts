import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import type { DoctorCode, InputOf, ProcessData } from '@fleet/contract'
import {
  addInstance,
  addProject,
  asCaller,
  fakeCall,
  type ServiceFleet,
  startServiceFleet,
} from '@fleet/testing'
import { holding, lockOf } from '#/locks/api.ts'

type Input = InputOf<'process:create'>

async function started(fleet: ServiceFleet, more: Partial<Input> = {}): Promise<ProcessData> {
  const input: Input = {
    target_type: 'node',
    target_id: fleet.node.id,
    name: 'queue',
    runtime: 'systemd',
    command: ['/usr/bin/true'],
    start: true,
    ...more,
  }
  const call = fakeCall({ caller: asCaller(fleet.node) })
  return (await fleet.domains.processes.handlers['process:create']({ call, input })).data
}

async function ofInstance(fleet: ServiceFleet) {
  const project = await addProject(fleet.store)
  const instance = await addInstance(fleet.store, {
    project_id: project.id,
    node_id: fleet.node.id,
    checkout_path: fleet.host.at('home/apps/shop/default'),
    status: 'active',
  })
  return { instance, data: await started(fleet, { target_type: 'instance', target_id: instance.id }) }
}

const unitOf = ({ id, name }: ProcessData): string => `orbit-process-${id}-${name}.service`
const pathOf = (data: ProcessData): string => `etc/systemd/system/${unitOf(data)}`

async function codesOf(fleet: ServiceFleet): Promise<readonly string[]> {
  const { data } = await fleet.domains.doctor.handlers['doctor:run']({
    call: fakeCall({ caller: asCaller(fleet.node, true) }),
    input: { node_id: fleet.node.id, families: ['process'] },
  })
  return data.nodes.flatMap(({ families }) =>
    families.flatMap(({ issues }) => issues.map(({ code }) => code)),
  )
}

test('a creation or removal that nobody finished is reported, and none while somebody works on it', async () => {
  await using fleet = await startServiceFleet()
  const { id } = await started(fleet)
  const removing = fakeCall({ operation: 'process:destroy' })
  for (const status of ['creating', 'removing', 'failed'] as const) {
    await fleet.store.db.updateTable('processes').set({ status }).execute()
    assert.deepEqual(await codesOf(fleet), ['process.lifecycle_not_active'])
    await holding(fleet.store, removing, lockOf('process', id), async () =>
      assert.deepEqual(await codesOf(fleet), []),
    )
  }
})

test('what systemd does not answer of a Process is not known', async () => {
  await using fleet = await startServiceFleet()
  await started(fleet)
  fleet.host.install('systemctl', 'exit 1')
  assert.deepEqual(await codesOf(fleet), ['process.inspection_failed'])
  await fleet.store.db.updateTable('processes').set({ desired_state: 'stopped' }).execute()
  assert.deepEqual(await codesOf(fleet), ['process.inspection_failed'])
})

const converge = (fleet: ServiceFleet) =>
  fleet.domains.processes.artifact.converge(fleet.session, { force: true })

const BREAKS: ReadonlyArray<
  readonly [code: DoctorCode, what: string, breaks: (fleet: ServiceFleet, data: ProcessData) => void]
> = [
  ['process.runtime_missing', 'a unit that is gone', ({ host }, data) => rmSync(host.at(pathOf(data)))],
  [
    'process.unit_mismatch',
    'a unit file that was edited by hand',
    ({ host }, data) => host.write(pathOf(data), `${host.read(pathOf(data)) ?? ''}Nice=5\n`),
  ],
  [
    'process.state_mismatch',
    'a unit that ended by itself',
    ({ host }, data) => host.systemd.kill(unitOf(data)),
  ],
  [
    'process.state_mismatch',
    'a unit that does not start at boot',
    ({ host }, data) => host.systemd.disable(unitOf(data)),
  ],
]

for (const [code, what, breaks] of BREAKS)
  test(`Doctor reports ${what}, and a converge repairs it [DRF-055]`, async () => {
    await using fleet = await startServiceFleet()
    const data = await started(fleet)
    const text = fleet.host.read(pathOf(data))
    assert.deepEqual(await codesOf(fleet), [])
    breaks(fleet, data)
    const found = await codesOf(fleet)
    assert.ok(found.includes(code), found.join(' '))
    assert.equal(await converge(fleet), 'applied')
    assert.deepEqual(await codesOf(fleet), [])
    assert.equal(fleet.host.read(pathOf(data)), text)
    assert.equal(fleet.host.systemd.isActive(unitOf(data)), true)
  })

test('a Node that goes silent meanwhile is a failure of the converge and no reason to skip its Processes [NODE-122]', async () => {
  await using fleet = await startServiceFleet()
  await started(fleet)
  const session = fleet.domains.nodes.nodes.sessions.overTunnel(fakeCall(), fleet.node)
  const { artifact } = fleet.domains.processes
  assert.equal(await artifact.converge(session, { force: true }), 'applied')
  fleet.host.pool.failBefore(() => true)
  await assert.rejects(artifact.converge(session, { force: true }), { code: 'node.unreachable' })
})

test('a converge leaves the Processes of an Instance to the operation that has it, and waits for nobody', async () => {
  await using fleet = await startServiceFleet()
  const { instance, data } = await ofInstance(fleet)
  const other = await started(fleet, { name: 'other' })
  for (const each of [data, other]) fleet.host.systemd.kill(unitOf(each))
  const holder = fakeCall({ operation: 'instance:transfer' })
  const lock = lockOf('instance', instance.id, { busy: 'instance.lifecycle_busy' })
  await holding(fleet.store, holder, lock, async () => {
    // As node:converge holds it.
    const { call } = fleet.session
    await holding(fleet.store, call, lockOf('nodeRoles', fleet.node.id), async () =>
      assert.partialDeepStrictEqual(await converge(fleet), { skipped: 'process.operation_busy' }),
    )
  })
  assert.deepEqual(
    [data, other].map((each) => fleet.host.systemd.isActive(unitOf(each))),
    [false, true],
  )
  assert.equal(await converge(fleet), 'applied')
  assert.equal(fleet.host.systemd.isActive(unitOf(data)), true)
})

test('Doctor reports a Process that ends again and again as a crash loop, until it is stopped [PROC-046]', async () => {
  await using fleet = await startServiceFleet()
  const data = await started(fleet, { restart_policy: 'always' })
  fleet.host.systemd.loop(unitOf(data))
  assert.deepEqual(await codesOf(fleet), ['process.crash_loop'])
  fleet.host.systemd.clearFaults()
  const call = fakeCall({ caller: asCaller(fleet.node) })
  await fleet.domains.processes.handlers['process:stop']({ call, input: { process: data.id } })
  assert.deepEqual(await codesOf(fleet), [])
})

test('Doctor reports a Process that runs each time it looks and was restarted meanwhile [PROC-046]', async () => {
  await using fleet = await startServiceFleet()
  const data = await started(fleet, { restart_policy: 'always' })
  assert.deepEqual(await codesOf(fleet), [])
  fleet.host.systemd.restart(unitOf(data))
  assert.equal(fleet.host.systemd.isActive(unitOf(data)), true)
  assert.deepEqual(await codesOf(fleet), ['process.crash_loop'])
  fleet.host.systemd.clearFaults()
  assert.deepEqual(await codesOf(fleet), [])
})

test('a Process that should be stopped and runs is reported and stopped', async () => {
  await using fleet = await startServiceFleet()
  const data = await started(fleet)
  await fleet.store.db.updateTable('processes').set({ desired_state: 'stopped' }).execute()
  assert.deepEqual(await codesOf(fleet), ['process.state_mismatch'])
  assert.equal(await converge(fleet), 'applied')
  assert.deepEqual(await codesOf(fleet), [])
  assert.equal(fleet.host.systemd.isActive(unitOf(data)), false)
})

test('a unit of somebody else is reported and kept, and keeps no other Process from its repair', async () => {
  await using fleet = await startServiceFleet()
  const data = await started(fleet)
  const other = await started(fleet, { name: 'other' })
  fleet.host.write(pathOf(data), '[Service]\n')
  fleet.host.systemd.kill(unitOf(other))
  assert.deepEqual(await codesOf(fleet), ['process.runtime_missing', 'process.state_mismatch'])
  assert.partialDeepStrictEqual(await converge(fleet), { skipped: 'process.unit_conflict' })
  assert.equal(fleet.host.read(pathOf(data)), '[Service]\n')
  assert.equal(fleet.host.systemd.isActive(unitOf(other)), true)
})

test('a Process that was removed while its Node was silent leaves a residue, which Doctor reports and a converge removes', async () => {
  await using fleet = await startServiceFleet()
  const data = await started(fleet)
  const { db } = fleet.store
  await db.updateTable('nodes').set({ status: 'failed' }).execute()
  const call = fakeCall({ caller: asCaller(fleet.node) })
  const gone = await fleet.domains.processes.handlers['process:destroy']({
    call,
    input: { process: data.id, offline: true },
  })
  assert.deepEqual(gone.data.retained_on_nodes, [
    { node_id: fleet.node.id, node: fleet.node.name, unit: unitOf(data) },
  ])
  assert.equal(fleet.host.systemd.isActive(unitOf(data)), true)
  await db.updateTable('nodes').set({ status: 'active' }).execute()
  const [, residues] = fleet.domains.processes.checks
  const findings = async () => {
    const checks = (await residues?.checksOf(call, fleet.node)) ?? []
    return Promise.all(checks.map(async (check) => (check.kind === 'stored' ? check.judge() : undefined)))
  }
  assert.deepEqual(await findings(), [{ expected: 'none', observed: '1' }])
  assert.notEqual(await fleet.domains.processes.artifact.digest(fleet.node), undefined)
  assert.equal(await converge(fleet), 'applied')
  assert.deepEqual(await findings(), [undefined])
  assert.equal(await fleet.domains.processes.artifact.digest(fleet.node), undefined)
  assert.deepEqual(readdirSync(fleet.host.at('etc/systemd/system')), [])
})

test('the Processes of an Instance are stopped, then removed with it; on a silent Node they become residues', async () => {
  await using fleet = await startServiceFleet()
  const { instance, data } = await ofInstance(fleet)
  const { runtime } = fleet.domains.processes
  await runtime.stop(fleet.session, instance.id)
  assert.equal(fleet.host.systemd.isActive(unitOf(data)), false)
  assert.ok(fleet.host.read(pathOf(data)))
  await runtime.remove(fleet.session, instance.id)
  assert.equal(fleet.host.read(pathOf(data)), undefined)
  assert.deepEqual(await fleet.store.db.selectFrom('processes').selectAll().execute(), [])

  const again = await started(fleet, { target_type: 'instance', target_id: instance.id })
  await fleet.store.db.updateTable('nodes').set({ status: 'failed' }).execute()
  const call = fakeCall({ caller: asCaller(fleet.node, true) })
  const input = { instance: instance.id, force: true, offline: true }
  await fleet.domains.instances.handlers['instance:destroy']({ call, input })
  const { db } = fleet.store
  assert.deepEqual(await db.selectFrom('process_residues').select(['process_id', 'name']).execute(), [
    { process_id: again.id, name: 'queue' },
  ])
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['process.deleted', 'instance.deleted'],
  )
})

test('nothing is done with a Process while its Instance is created, set up or removed [PROC-044]', async () => {
  await using fleet = await startServiceFleet()
  const { instance, data } = await ofInstance(fleet)
  const name = `instance:${instance.project_id}:${instance.name}:lifecycle`
  const held = await fleet.store.locks.acquire({
    name,
    operation: 'instance:destroy',
    requestId: 'another request',
    leaseSeconds: 60,
    waitMilliseconds: 0,
  })
  const call = fakeCall({ caller: asCaller(fleet.node) })
  const { handlers } = fleet.domains.processes
  const busy = { code: 'instance.lifecycle_busy' }
  await assert.rejects(handlers['process:stop']({ call, input: { process: data.id } }), busy)
  await assert.rejects(
    handlers['process:destroy']({ call, input: { process: data.id, offline: false } }),
    busy,
  )
  await held[Symbol.asyncDispose]()
})

test('the log of a Process is its journal, with stored values of its Instance masked', async () => {
  await using fleet = await startServiceFleet()
  const { instance, data } = await ofInstance(fleet)
  const call = fakeCall({ caller: asCaller(fleet.node) })
  const update = { instance: instance.id, key: 'TOKEN', value: 'a-canary-of-the-store' }
  await fleet.domains.environment.handlers['env:update']({ call, input: update })
  fleet.host.write(`systemd/journal/${unitOf(data)}`, 'began\ntoken a-canary-of-the-store\n')
  const { data: read } = await fleet.domains.logs.handlers['process:logs']({
    call,
    input: { process: data.id, lines: 10 },
  })
  assert.deepEqual([read.id, read.name, read.lines], [data.id, 'queue', 10])
  assert.match(read.logs, /^began\ntoken \[REDACTED\]/)
})

test('what an application has printed is in no error of its Process [GW-025, API-011]', async () => {
  await using fleet = await startServiceFleet()
  const { data } = await ofInstance(fleet)
  fleet.host.write(`systemd/journal/${unitOf(data)}`, 'began\nlogged in with a-canary-of-the-store\n')
  fleet.host.systemd.stick(unitOf(data))
  const call = fakeCall({ caller: asCaller(fleet.node) })
  const input = { process: data.id, offline: false }
  const { id, name } = fleet.node
  const reason = { reason: 'stop_failed', state: 'active dead', journal: [], step: 'unit' }
  await assert.rejects(fleet.domains.processes.handlers['process:destroy']({ call, input }), {
    code: 'process.runtime_failed',
    details: { node: { id, name }, unit: unitOf(data), ...reason },
  })
})

test('a Node owns its own Processes, and their records go with it when it is removed without being reached', async () => {
  await using fleet = await startServiceFleet()
  const data = await started(fleet)
  await ofInstance(fleet)
  const { owned } = fleet.domains.nodeServices
  assert.equal(await owned.processes(fleet.node.id), 1)
  const call = fakeCall()
  await fleet.store.transaction((db) => owned.dropProcesses(db, call, fleet.node.id))
  assert.equal(await owned.processes(fleet.node.id), 0)
  assert.deepEqual(
    call.events.map(({ type, data: told }) => [type, told]),
    [['process.deleted', { id: data.id, name: 'queue' }]],
  )
  const left = await fleet.store.db.selectFrom('processes').select('instance_id').execute()
  assert.equal(left.length, 1)
})
