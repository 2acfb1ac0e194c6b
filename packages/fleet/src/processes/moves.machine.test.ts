import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { addInstance, addProject, fakeCall, startServiceFleet } from '@fleet/testing'
import type { NodeSession } from '#/nodes/api.ts'

test('Processes of an Instance that moves keep their ids and desired states: those that ran run again, and nothing of them is left where they were [INS-092]', async () => {
  await using fleet = await startServiceFleet()
  const { handlers, moves, runtime } = fleet.domains.processes
  const project = await addProject(fleet.store)
  const { id } = await addInstance(fleet.store, { project_id: project.id, node_id: fleet.node.id })
  const call = fakeCall()
  const create = async (name: string, start: boolean) => {
    const { data } = await handlers['process:create']({
      call,
      input: {
        target_type: 'instance',
        target_id: id,
        name,
        runtime: 'systemd',
        command: ['/bin/true'],
        start,
      },
    })
    return { ...data, unit: `orbit-process-${data.id}-${name}.service` }
  }
  const [queue, idle] = [await create('queue', true), await create('idle', false)]
  // Both Nodes are this host, so the unit is withdrawn before it is installed again.
  await runtime.stop(fleet.session, id)
  assert.equal(fleet.host.systemd.isActive(queue.unit), false)
  for (const _time of [1, 2]) await moves.withdraw(fleet.session, id)
  for (const { unit } of [queue, idle]) assert.equal(fleet.host.read(`etc/systemd/system/${unit}`), undefined)
  for (const _time of [1, 2]) await moves.resume(fleet.session, id)
  const { systemd } = fleet.host
  assert.deepEqual([systemd.isActive(queue.unit), systemd.isActive(idle.unit)], [true, false])
  assert.notEqual(fleet.host.read(`etc/systemd/system/${idle.unit}`), undefined)
  const { data } = await handlers['process:list']({ call, input: {} })
  assert.deepEqual(
    data.map(({ id: process, desired_state }) => [process, desired_state]),
    [
      [queue.id, 'running'],
      [idle.id, 'stopped'],
    ],
  )
})

test('a container that moves leaves its volumes without a name where they are', async () => {
  await using fleet = await startServiceFleet()
  const { handlers, moves } = fleet.domains.processes
  const { docker } = fleet.host
  docker.addImage('gitea:1', { hasVolume: true })
  const project = await addProject(fleet.store)
  const { id } = await addInstance(fleet.store, { project_id: project.id, node_id: fleet.node.id })
  const input = { target_type: 'instance', target_id: id, name: 'git', runtime: 'docker' } as const
  await handlers['process:create']({
    call: fakeCall(),
    input: { ...input, image: 'gitea:1', command: ['serve'], start: true },
  })
  const volume = docker.volumeOf(docker.names()[0] ?? '')
  await moves.withdraw(fleet.session, id)
  assert.deepEqual([docker.names(), existsSync(volume)], [[], true])
})

test('a Node without Docker is found out before it gets an Instance with a container; for any other it is not asked [INS-095]', async () => {
  await using fleet = await startServiceFleet()
  const { handlers, moves } = fleet.domains.processes
  const project = await addProject(fleet.store)
  const { id } = await addInstance(fleet.store, { project_id: project.id, node_id: fleet.node.id })
  const call = fakeCall()
  const input = { target_type: 'instance', target_id: id } as const
  await handlers['process:create']({
    call,
    input: { ...input, name: 'queue', runtime: 'systemd', command: ['/bin/true'], start: false },
  })
  const unasked: NodeSession = { ...fleet.session, ask: () => assert.fail() }
  await moves.requireRunnable(unasked, id)
  const row = await fleet.store.db.selectFrom('processes').selectAll().executeTakeFirstOrThrow()
  await fleet.store.db.updateTable('processes').set({ runtime: 'docker' }).where('id', '=', row.id).execute()
  await moves.requireRunnable(fleet.session, id)
  fleet.host.docker.uninstall()
  await assert.rejects(moves.requireRunnable(fleet.session, id), { code: 'node.capability_missing' })
})

test('an Instance whose dependencies are gone is woken where it moves to, and a Node that it did not move to forgets it [INS-092]', async () => {
  await using fleet = await startServiceFleet()
  const { handlers, moves } = fleet.domains.processes
  const project = await addProject(fleet.store)
  const { id } = await addInstance(fleet.store, { project_id: project.id, node_id: fleet.node.id })
  const input = { target_type: 'instance', target_id: id, name: 'queue', runtime: 'systemd' } as const
  await handlers['process:create']({
    call: fakeCall(),
    input: { ...input, command: ['/bin/true'], start: true },
  })
  const waiting = async (): Promise<readonly string[]> => {
    const wakes = fleet.store.db.selectFrom('work').where('kind', '=', 'instance:wake')
    const rows = await wakes.select(['kind', 'key']).execute()
    return rows.map(({ kind, key }) => `${kind} ${key}`)
  }
  const marker = `var/lib/caddy/fleet-hibernation/${id}.cold`
  // Both Nodes are this host, so who was asked tells them apart.
  const asked: string[] = []
  const named = (name: string): NodeSession => ({
    ...fleet.session,
    ask: (script, request) => {
      asked.push(name)
      return fleet.session.ask(script, request)
    },
  })
  const [here, there] = [named('here'), named('there')]
  await moves.resume(there, id)
  assert.deepEqual(await waiting(), [])
  rmSync(fleet.host.at(`dev/shm/fleet/hibernation/${id}.awake`))
  fleet.host.write(marker, '')
  asked.length = 0
  for (const _time of [1, 2]) await moves.carrySleep(here, there, id)
  assert.deepEqual(asked, ['here', 'there', 'here', 'there'])
  assert.equal(fleet.host.read(marker), '')
  for (const _time of [1, 2]) await moves.resume(there, id)
  assert.deepEqual(await waiting(), [`instance:wake ${id}`])
  asked.length = 0
  await moves.carrySleep(undefined, there, id)
  assert.deepEqual([asked, fleet.host.read(marker)], [['there'], undefined])
})

test('what an Instance lost in its sleep is installed where it moves to, also when no Process of it sleeps any more', async () => {
  await using fleet = await startServiceFleet()
  const { moves } = fleet.domains.processes
  const project = await addProject(fleet.store)
  const { id } = await addInstance(fleet.store, { project_id: project.id, node_id: fleet.node.id })
  const marker = `var/lib/caddy/fleet-hibernation/${id}.cold`
  const waiting = () => fleet.store.db.selectFrom('work').select('kind').execute()
  await moves.resume(fleet.session, id)
  assert.deepEqual(await waiting(), [])
  fleet.host.write(marker, '')
  await moves.carrySleep(fleet.session, fleet.session, id)
  await moves.resume(fleet.session, id)
  assert.deepEqual(
    [fleet.host.read(marker), await waiting()],
    ['', [{ kind: 'instance:return-dependencies' }]],
  )
  await moves.withdraw(fleet.session, id)
  assert.equal(fleet.host.read(marker), undefined)
})

test('a Process whose removal was cut off is not installed again where its Instance moves to: the identical removal ends it there', async () => {
  await using fleet = await startServiceFleet()
  const { handlers, moves } = fleet.domains.processes
  const project = await addProject(fleet.store)
  const { id } = await addInstance(fleet.store, { project_id: project.id, node_id: fleet.node.id })
  const call = fakeCall()
  const { data } = await handlers['process:create']({ call, input: queueOf(id) })
  const unit = `orbit-process-${data.id}-queue.service`
  const destroy = () =>
    handlers['process:destroy']({ call: fakeCall(), input: { process: data.id, offline: false } })
  fleet.host.pool.failBefore(() => true)
  await assert.rejects(destroy())
  fleet.host.pool.clearFaults()
  await moves.withdraw(fleet.session, id)
  await moves.resume(fleet.session, id)
  const { status } = await fleet.store.db.selectFrom('processes').select('status').executeTakeFirstOrThrow()
  assert.deepEqual([status, fleet.host.read(`etc/systemd/system/${unit}`)], ['removing', undefined])
  await destroy()
  assert.deepEqual(await fleet.store.db.selectFrom('processes').selectAll().execute(), [])
})

test('a Process that its Node refused keeps no other one from moving, and its own request creates it where its Instance is then', async () => {
  await using fleet = await startServiceFleet()
  const { handlers, moves } = fleet.domains.processes
  const project = await addProject(fleet.store)
  const { id } = await addInstance(fleet.store, { project_id: project.id, node_id: fleet.node.id })
  const create = (name: string) =>
    handlers['process:create']({ call: fakeCall(), input: { ...queueOf(id), name } })
  const { systemd } = fleet.host
  const { data: refused } = await create('a-refused')
  const { data: queue } = await create('queue')
  const { db } = fleet.store
  const failure = {
    status: 'failed',
    failed_step: 'account',
    error_code: 'process.user_unavailable',
  } as const
  const of = db.updateTable('processes').where('id', '=', refused.id)
  await of.set({ ...failure, account: 'nobody-here', observed_status: null }).execute()
  await moves.withdraw(fleet.session, id)
  await moves.resume(fleet.session, id)
  assert.equal(systemd.isActive(`orbit-process-${queue.id}-queue.service`), true)
  const statuses = await db.selectFrom('processes').select(['name', 'status']).orderBy('id').execute()
  assert.deepEqual(statuses, [
    { name: 'a-refused', status: 'failed' },
    { name: 'queue', status: 'active' },
  ])
  await of.set({ account: null }).execute()
  await create('a-refused')
  assert.equal(systemd.isActive(`orbit-process-${refused.id}-a-refused.service`), true)
})

test('a Process that does not start where its Instance moves to stays active, and the repeated transfer starts it', async () => {
  await using fleet = await startServiceFleet()
  const { handlers, moves } = fleet.domains.processes
  const project = await addProject(fleet.store)
  const { id } = await addInstance(fleet.store, { project_id: project.id, node_id: fleet.node.id })
  const { data } = await handlers['process:create']({ call: fakeCall(), input: queueOf(id) })
  await moves.withdraw(fleet.session, id)
  const { db } = fleet.store
  await db.updateTable('processes').set({ account: 'nobody-here' }).execute()
  await assert.rejects(moves.resume(fleet.session, id), { code: 'process.user_unavailable' })
  const kept = db.selectFrom('processes').select(['status', 'failed_step', 'error_code'])
  assert.deepEqual(await kept.executeTakeFirst(), {
    status: 'active',
    failed_step: 'account',
    error_code: 'process.user_unavailable',
  })
  await db.updateTable('processes').set({ account: null }).execute()
  await moves.resume(fleet.session, id)
  assert.equal(fleet.host.systemd.isActive(`orbit-process-${data.id}-queue.service`), true)
  assert.deepEqual(await kept.executeTakeFirst(), { status: 'active', failed_step: null, error_code: null })
})

const queueOf = (id: number) => ({
  target_type: 'instance' as const,
  target_id: id,
  name: 'queue',
  runtime: 'systemd' as const,
  command: ['/bin/true'],
  start: true,
})
