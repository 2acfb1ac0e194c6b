import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logUnavailableReasons } from '@fleet/contract'
import { Secret } from '@fleet/kernel'
import { channelAuth } from '@fleet/pusher'
import { callOf, instanceOf, type LogsWorld, logsWorld, NODE, obstacles, OPENER } from '#/logs/world.test.ts'

const APP = { key: 'app-key', secret: new Secret('app-secret') }
const input = { instance: 5, socket_id: '12.34', lines: 100 }
const openProcess = ({ logs }: LogsWorld, process: number) =>
  logs.handlers['process:log-stream:open']({
    call: callOf(OPENER),
    input: { process, socket_id: '12.34', lines: 10 },
  })

test('instance:log-stream:open answers a new id and a signature for its channel and the one socket [LOGS-001, LOGS-002, LOG-003]', async (context) => {
  const { logs } = logsWorld(context)
  const open = () => logs.handlers['instance:log-stream:open']({ call: callOf(OPENER), input })
  const { data, created } = await open()
  const channel = `private-log-stream.${data.id}`
  assert.match(data.id, /^[0-9a-f]{32}$/)
  assert.deepEqual(data, {
    id: data.id,
    channel,
    auth: channelAuth(APP, '12.34', channel),
    lines: 100,
    lease_seconds: 60,
    renew_seconds: 20,
  })
  assert.equal(created, true)
  assert.notEqual((await open()).data.id, data.id)
})

test('an Instance that is not there any more is unknown, and so is a Process of no domain', async (context) => {
  const world = logsWorld(context)
  world.at.instances.clear()
  await assert.rejects(world.open(), { code: 'instance.not_found', status: 404 })
  await assert.rejects(openProcess(world, 9), { code: 'process.not_found', status: 404 })
})

for (const [index, reason] of logUnavailableReasons.entries()) {
  test(`a live log is refused with ${reason}, before every later reason [LOGS-025]`, async (context) => {
    const world = logsWorld(context)
    for (const later of logUnavailableReasons.slice(index)) obstacles[later](world)
    await assert.rejects(world.open(), { code: 'logs.live_unavailable', status: 409, details: { reason } })
  })
}

test('the subscriber is down, or has no connection: both are reported as subscriber_down [LOGS-025]', async (context) => {
  const world = logsWorld(context)
  for (const health of ['down', 'disconnected'] as const) {
    world.at.subscriber = health
    await assert.rejects(world.open(), { details: { reason: 'subscriber_down' } })
  }
})

test('a Node serves 16 streams, whoever opened them and whatever their state, and one more when one has ended [LOGS-013]', async (context) => {
  const world = logsWorld(context)
  const ids: string[] = []
  for (let count = 0; count < 16; count += 1) ids.push(await world.open())
  await world.renew(ids[0] ?? '')
  await assert.rejects(world.open(), { code: 'logs.stream_limit', status: 429 })
  world.at.instances.set(6, instanceOf({ id: 6, node_id: NODE + 1 }))
  world.logs.channel(NODE + 1).joined(new Map([[`agent.${NODE + 1}`, {}]]))
  await world.logs.handlers['instance:log-stream:open']({
    call: callOf(OPENER),
    input: { ...input, instance: 6 },
  })
  await world.close(ids[3] ?? '')
  await world.open()
})

test('the agent is to read the framework file of the application directory, the unit or the container [AGT-006, AGT-007]', async (context) => {
  const world = logsWorld(context)
  const process = {
    name: 'queue',
    node: { id: NODE, name: 'web', status: 'active' },
    environment: 'development',
    instanceId: 5,
    variables: null,
    connection_values: null,
    runtime_config: { command: [], preset: null },
    definition_id: null,
  } as const
  world.at.processes.set(3, { ...process, id: 3, runtime: 'systemd' })
  world.at.processes.set(4, { ...process, id: 4, runtime: 'docker' })
  const id = await world.open(50)
  await world.renew(id)
  for (const processId of [3, 4]) {
    const { data } = await openProcess(world, processId)
    await world.logs.handlers['process:log-stream:renew']({
      call: callOf(OPENER),
      input: { process: processId, stream: data.id },
    })
  }
  const list = await world.logs.work.logStreams(NODE)
  assert.deepEqual(
    list.map(({ lines, source }) => ({ lines, source })),
    [
      {
        lines: 50,
        source: {
          type: 'laravel',
          path: '/srv/apps/shop/default/api/storage/logs/laravel.log',
          checkout: '/srv/apps/shop/default',
        },
      },
      { lines: 10, source: { type: 'journal', unit: 'orbit-process-3-queue.service' } },
      { lines: 10, source: { type: 'docker', container: 'orbit-process-4-queue', process_id: 4 } },
    ],
  )
  assert.deepEqual(await world.logs.work.logStreams(NODE + 1), [])
})

test('a Process of a production Node is read over SSH only [LOGS-025]', async (context) => {
  const world = logsWorld(context)
  const process = {
    id: 3,
    name: 'queue',
    node: { id: NODE, name: 'web', status: 'active' },
    runtime: 'systemd',
  } as const
  world.at.processes.set(3, {
    ...process,
    environment: 'production',
    instanceId: undefined,
    variables: null,
    connection_values: null,
    runtime_config: { command: [], preset: null },
  })
  await assert.rejects(openProcess(world, 3), { details: { reason: 'ssh_only' } })
})
