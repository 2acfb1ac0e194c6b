import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import type { LiveClient } from './client.ts'
import type { ScriptedAgent } from './scripted-agent.ts'
import { type LiveWorld, startLiveWorld, until } from './world.ts'

let world: LiveWorld
let agent: ScriptedAgent
let client: LiveClient
before(async () => {
  world = await startLiveWorld()
  agent = await world.agent()
})
after(() => world[Symbol.asyncDispose]())
beforeEach(async () => {
  agent.beat()
  client = await world.client()
})
afterEach(() => client[Symbol.dispose]())

const channelOf = (stream: string): string => `private-log-stream.${stream}`
const reported = (stream: string, name: string) =>
  client.heard
    .filter((event) => event.channel === channelOf(stream) && event.name === name)
    .map(({ data }) => data)
const linesOf = (stream: string): readonly string[] =>
  reported(stream, 'log.lines').flatMap(({ data }) => data.lines)
const reasonsOf = (stream: string): readonly string[] =>
  reported(stream, 'log.ended').map(({ data }) => data.reason)
const ends = (stream: string, reason: string): Promise<void> =>
  until(`the end by ${reason}`, () => {
    assert.ok(reasonsOf(stream).every((one) => one === reason))
    return reasonsOf(stream).length > 0
  })
const changes = (): number => agent.heard.filter(({ event }) => event === 'log-streams.changed').length

test('a log is followed from its first line to its close, on its own channel and on no other [LOG-003, LOG-004, LOG-006, LOG-007, LOG-008, LOG-009, LOGS-001, LOGS-002, LOGS-003, LOGS-004, LOGS-005, LOGS-024, LOGS-029]', async () => {
  const { fleet, instance } = world
  const viewer = await world.client()
  for (const channel of ['private-fleet', `presence-node.${fleet.nodes.granted}`]) await viewer.join(channel)
  const value = { body: { value: 'very-secret-value' } }
  await fleet.ask('PUT', `/api/v1/instances/${instance}/environment/API_TOKEN`, value)
  const opened = await world.open(client, { lines: 20 })
  assert.equal(opened.status, 201, opened.text)
  const { id, channel, auth } = opened.json.data
  assert.deepEqual(opened.json.data, {
    id,
    auth,
    channel: channelOf(id),
    lines: 20,
    lease_seconds: 60,
    renew_seconds: 20,
  })
  await assert.rejects(viewer.join(channel, auth), /401/)
  await client.join(channel, auth)
  assert.deepEqual(await agent.list(), [])
  const before = changes()
  assert.deepEqual((await world.renew(id)).json.data, { id, lease_seconds: 60 })
  await until('the agent is notified', () => changes() > before)
  const notice = agent.heard.findLast(({ event }) => event === 'log-streams.changed')
  assert.deepEqual(notice, { event: 'log-streams.changed', channel: agent.logChannel, data: {} })
  const [wanted] = await agent.list()
  assert.deepEqual(
    { id: wanted.id, lines: wanted.lines, type: wanted.source.type },
    { id, lines: 20, type: 'laravel' },
  )
  assert.match(wanted.source.path, /\/storage\/logs\/laravel\.log$/)
  agent.log(id, ['first', 'token=very-secret-value'])
  await until('lines', () => linesOf(id).length === 2)
  agent.log(id, ['second'])
  await until('more lines', () => linesOf(id).length === 3)
  assert.deepEqual(linesOf(id), ['first', 'token=[REDACTED]', 'second'])
  for (const [index, event] of reported(id, 'log.lines').entries()) {
    assert.deepEqual(
      { type: event.type, id: event.id, members: Object.keys(event) },
      { type: 'log.lines', id, members: ['type', 'id', 'at', 'data'] },
    )
    assert.deepEqual({ ...event.data, lines: 0 }, { sequence: index + 1, lines: 0, dropped: 0, skipped: 0 })
  }
  assert.deepEqual((await world.close(id)).json.data, { id, closed: true })
  await ends(id, 'closed')
  assert.deepEqual(await agent.list(), [])
  assert.ok(!JSON.stringify(viewer.heard).includes('second'))
  viewer[Symbol.dispose]()
})

test('opening and closing leave an Activity each and nothing else on the feed; renewing leaves nothing [LOGS-028]', async () => {
  await client.join('private-fleet')
  const id = await world.follow(client)
  await world.renew(id)
  await world.close(id)
  await until(
    'both Activities',
    () => client.heard.filter(({ name }) => name === 'activity.updated').length === 2,
  )
  const feed = client.heard.filter(({ channel }) => channel === 'private-fleet')
  assert.deepEqual(
    feed.map(({ name, data }) => `${name} ${data.data.command} ${data.data.status}`),
    [
      'activity.created instance:log-stream:open running',
      'activity.updated instance:log-stream:open succeeded',
      'activity.created instance:log-stream:close running',
      'activity.updated instance:log-stream:close succeeded',
    ],
  )
  const { json } = await world.fleet.ask('GET', '/api/v1/activities?limit=20')
  assert.ok(!JSON.stringify(json.data).includes('log-stream:renew'))
})

test('the general endpoint signs no stream, and only the opener may subscribe [LOG-001, LOG-002, LOG-003]', async () => {
  const { json } = await world.open(client)
  await assert.rejects(client.join(json.data.channel), /broadcast\.channel_forbidden/)
  await assert.rejects(client.join(agent.logChannel), /broadcast\.channel_forbidden/)
  const other = await world.client()
  await assert.rejects(other.join(json.data.channel, json.data.auth), /401/)
  other[Symbol.dispose]()
  await world.close(json.data.id)
})

test('input is checked, a Process is unknown, and a stream belongs to the Node that opened it [INS-037, LOGS-001, LOGS-026, LOGS-027]', async () => {
  for (const body of [{ socket_id: 'abc' }, { lines: 0 }, { lines: 1001 }, { follow: true }])
    assert.equal((await world.open(client, body)).json.error.code, 'validation.failed')
  const read = `/api/v1/instances/${world.instance}/logs`
  for (const query of ['lines=0', 'lines=1001', 'follow=true'])
    assert.equal((await world.fleet.ask('GET', `${read}?${query}`)).json.error.code, 'validation.failed')
  const body = { socket_id: client.socketId }
  const process = await world.fleet.ask('POST', '/api/v1/processes/1/log-streams', { body })
  assert.deepEqual([process.status, process.json.error.code], [404, 'process.not_found'])
  const id = await world.follow(client)
  const foreign = await world.renew(id, 'granted')
  assert.deepEqual([foreign.status, foreign.json.error.code], [404, 'logs.stream_not_found'])
  assert.equal((await world.renew(id, 'ungranted')).json.error.code, 'node_access.required')
  assert.equal((await world.renew('x')).json.error.code, 'logs.stream_not_found')
  assert.equal((await world.renew(id)).status, 200)
  await world.close(id)
  assert.equal((await world.close(id)).json.error.code, 'logs.stream_not_found')
})

test('the seventeenth stream of a Node is refused [LOGS-013]', async () => {
  const ids: string[] = []
  for (let count = 0; count < 16; count += 1) ids.push((await world.open(client)).json.data.id)
  const refused = await world.open(client)
  assert.deepEqual([refused.status, refused.json.error.code], [429, 'logs.stream_limit'])
  for (const id of ids) await world.close(id)
})

test('a stream that nobody renews expires after a minute [LOGS-008, LOGS-012, LOGS-021]', async () => {
  const id = await world.follow(client)
  await world.clock.leap(54, () => agent.beat())
  assert.deepEqual(reasonsOf(id), [])
  await world.clock.leap(11, () => agent.beat())
  await ends(id, 'expired')
  assert.equal((await world.renew(id)).status, 404)
})

test('an agent is reminded every 15 seconds of a stream that it has not begun, and no more once it has [LOGS-021]', async () => {
  const told = changes()
  const id = await world.follow(client)
  /** The gateway's time at which the agent is notified next. */
  const reminded = async (): Promise<number> => {
    const before = changes()
    for (let tries = 0; changes() === before && tries < 80; tries += 1) {
      if (tries % 4 === 0) agent.beat()
      await world.clock.leap(0.25)
    }
    assert.equal(changes(), before + 1)
    return world.clock.now().getTime()
  }
  await until('the agent is notified', () => changes() > told)
  // What the subscription itself told is over.
  await reminded()
  const first = await reminded()
  const second = await reminded()
  assert.ok(Math.abs(second - first - 15_000) < 1500, `a reminder after ${second - first} ms`)
  agent.log(id, ['begun'])
  await until('the first line', () => linesOf(id).length === 1)
  const begun = changes()
  await world.clock.leap(20, () => agent.beat())
  assert.equal(changes(), begun)
  await world.close(id)
})

test('a source that cannot be read ends its stream [LOG-005, LOGS-008, LOGS-010, LOGS-012]', async () => {
  const id = await world.follow(client)
  agent.log(id, ['last words'])
  agent.endLog(id)
  await ends(id, 'source_unavailable')
  assert.deepEqual(linesOf(id), ['last words'])
})

test('a grant that is revoked ends the streams of its holder within 5 seconds [GRANT-011, LOGS-012, LOGS-021, LOGS-027]', async () => {
  const { fleet } = world
  const id = await world.follow(client)
  const grant = `/api/v1/nodes/${fleet.nodes.granted}/access/${fleet.nodes.gateway}`
  assert.equal((await fleet.ask('DELETE', grant, { from: 'granted' })).status, 200)
  assert.equal((await world.renew(id)).json.error.code, 'node_access.required')
  await world.clock.leap(6, () => agent.beat())
  await ends(id, 'revoked')
  assert.equal((await fleet.ask('PUT', grant, { from: 'granted' })).status, 200)
})

test('a server that takes nothing any more ends the stream after five tries; then its lines are ignored [LOGS-012, LOGS-020, LOGS-022]', async () => {
  const id = await world.follow(client)
  agent.log(id, ['one'])
  await until('the first line', () => linesOf(id).length === 1)
  world.outage.is = true
  agent.log(id, ['two'])
  await world.clock.leap(5, () => agent.beat())
  assert.equal((await world.renew(id)).status, 200)
  await world.clock.leap(5, () => agent.beat())
  assert.equal((await world.renew(id)).status, 404)
  world.outage.is = false
  await world.clock.leap(3, () => agent.beat())
  await ends(id, 'relay_behind')
  agent.log(id, ['three'])
  await world.clock.leap(1)
  assert.deepEqual(linesOf(id), ['one'])
})

test('an outage that passes loses nothing [LOGS-011, LOGS-022]', async () => {
  const id = await world.follow(client)
  world.outage.is = true
  for (const line of ['one', 'two', 'three']) agent.log(id, [line])
  await world.clock.leap(3, () => agent.beat())
  world.outage.is = false
  await world.clock.leap(3, () => agent.beat())
  await until('all lines', () => linesOf(id).length === 3)
  assert.deepEqual(linesOf(id), ['one', 'two', 'three'])
  await world.close(id)
})

test('an agent that goes ends its streams, and until it is back there is none to be had [AG-003, LOGS-012, LOGS-025]', async () => {
  const id = await world.follow(client)
  agent[Symbol.dispose]()
  await ends(id, 'agent_left')
  const refused = await world.open(client)
  assert.deepEqual([refused.status, refused.json.error.details], [409, { reason: 'agent_unavailable' }])
  agent = await world.agent()
  await world.close(await world.follow(client))
})

test('an agent that is silent for 15 seconds is no source for a live log [AG-004, LOGS-025]', async () => {
  await world.clock.leap(14)
  await world.close((await world.open(client)).json.data.id)
  await world.clock.leap(2)
  assert.deepEqual((await world.open(client)).json.error.details, { reason: 'agent_unavailable' })
  agent.beat()
  await until('it is back', async () => {
    const { json } = await world.open(client)
    if (json.data) await world.close(json.data.id)
    return json.data !== undefined
  })
})
