import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@fleet/testing'
import { readAgentMessage } from '#/agents/messages.ts'
import { AgentViewStore } from '#/agents/view/views.ts'

const SNAPSHOT = {
  sequence: 1,
  at: '2026-11-21T10:00:00Z',
  docker: 'available',
  part: 1,
  parts: 1,
  units: [
    { name: 'orbit-process-3-queue', runtime: 'systemd', runtime_status: 'failed' },
    { name: 'orbit-process-4-redis', runtime: 'docker', runtime_status: 'running' },
  ],
}
const START = 'a'.repeat(40)
const WORKSPACE = {
  instance_id: 9,
  base: 'main',
  start: START,
  branch: 'task',
  head: START,
  dirty: true,
  commits: 0,
  diff: null,
}

function seeing(...messages: ReadonlyArray<readonly [event: string, data: object]>) {
  const clock = new FakeClock()
  const views = new AgentViewStore(clock)
  const view = views.channel(7)
  view.joined(new Map([['agent.7', { version: '1' }]]))
  for (const [event, data] of messages) {
    const message = readAgentMessage(event, data)
    assert.ok(message)
    view.reported('agent.7', message)
  }
  return { clock, views, view }
}

const queue = { nodeId: 7, id: 3, name: 'queue', runtime: 'systemd' } as const
const redis = { nodeId: 7, id: 4, name: 'redis', runtime: 'docker' } as const

test('a unit reports the state of the Process of its Node, runtime, id and name, and of no other [AG-031, AG-032, AG-037]', () => {
  const { views } = seeing(['client-snapshot', SNAPSHOT])
  assert.equal(views.runtimeStatusOf(queue), 'failed')
  assert.equal(views.runtimeStatusOf(redis), 'running')
  assert.equal(views.runtimeStatusOf({ ...queue, nodeId: 8 }), undefined)
  assert.equal(views.runtimeStatusOf({ ...queue, runtime: 'docker' }), 'exited')
  assert.equal(views.runtimeStatusOf({ ...queue, name: 'queue-2' }), 'inactive')
  assert.equal(views.runtimeStatusOf({ ...queue, id: 33 }), 'inactive')
})

test('a Process without a unit is inactive or exited, unless the agent looked at no containers or reported too many [AG-035, AGT-039, PROC-039]', () => {
  const missing = { nodeId: 7, id: 5, name: 'gone' }
  const { views } = seeing(['client-snapshot', SNAPSHOT])
  assert.equal(views.runtimeStatusOf({ ...missing, runtime: 'systemd' }), 'inactive')
  assert.equal(views.runtimeStatusOf({ ...missing, runtime: 'docker' }), 'exited')
  const absent = seeing(['client-snapshot', { ...SNAPSHOT, docker: 'absent' }]).views
  assert.equal(absent.runtimeStatusOf({ ...missing, runtime: 'docker' }), undefined)
  assert.equal(absent.runtimeStatusOf({ ...missing, runtime: 'systemd' }), 'inactive')
  const units = Array.from({ length: 4096 }, (_, index) => ({ ...SNAPSHOT.units[0], name: `u-${index}` }))
  const last = { name: 'orbit-process-5-gone', runtime: 'systemd', runtime_status: 'active' }
  const cut = seeing(
    ['client-snapshot', { ...SNAPSHOT, units }],
    ['client-process', { sequence: 2, at: SNAPSHOT.at, unit: last }],
  ).views
  assert.equal(cut.runtimeStatusOf({ ...missing, runtime: 'systemd' }), undefined)
})

test('a view that is not fresh reports nothing of a Process or workspace [AG-002, AGT-031, AGT-038]', () => {
  const workspaces = { sequence: 2, at: SNAPSHOT.at, part: 1, parts: 1, workspaces: [WORKSPACE] }
  const { views, clock } = seeing(['client-snapshot', SNAPSHOT], ['client-workspaces', workspaces])
  const wanted = { nodeId: 7, instanceId: 9, base: 'main', start: START }
  assert.deepEqual(views.workspaceOf(wanted), WORKSPACE)
  for (const other of [{ base: 'develop' }, { start: null }, { instanceId: 8 }, { nodeId: 8 }])
    assert.equal(views.workspaceOf({ ...wanted, ...other }), undefined)
  clock.advance(14_999)
  assert.equal(views.runtimeStatusOf(queue), 'failed')
  clock.advance(1)
  assert.deepEqual([views.runtimeStatusOf(queue), views.workspaceOf(wanted)], [undefined, undefined])
})

test('a Node that nobody follows is unknown, and one that is managed no longer is again [AG-001]', () => {
  const { views, view } = seeing(['client-snapshot', SNAPSHOT])
  assert.deepEqual([views.of(7).presence, views.of(8).presence], ['online', 'unknown'])
  view.gone()
  assert.equal(views.of(7).presence, 'unknown')
})

test('one viewer of any Node is enough [EV-033]', () => {
  const { views, view } = seeing()
  views.channel(8)
  assert.equal(views.hasViewers(), false)
  view.memberAdded('viewer.1.1', {})
  assert.equal(views.hasViewers(), true)
})

test('a subscriber that says nothing of itself for 30 seconds is down [AGT-038]', () => {
  const { views, clock } = seeing()
  assert.equal(views.subscriber(), 'down')
  views.beat(false)
  assert.equal(views.subscriber(), 'disconnected')
  views.beat(true)
  clock.advance(29_999)
  assert.equal(views.subscriber(), 'up')
  clock.advance(1)
  assert.equal(views.subscriber(), 'down')
})

test('a Node that owes a snapshot for 5 seconds is named once, and again later [AGT-040]', () => {
  const { views, clock } = seeing()
  assert.deepEqual(views.overdue(), [])
  clock.advance(5000)
  assert.deepEqual([views.overdue(), views.overdue()], [[7], []])
  clock.advance(5000)
  assert.deepEqual(views.overdue(), [7])
})

test('a message about logs is nothing on the channel of units [LOG-009]', () => {
  const { views } = seeing([
    'client-log',
    { stream: 'a'.repeat(32), sequence: 1, lines: ['x'], dropped: 0, skipped: 0 },
  ])
  assert.equal(views.of(7).presence, 'unknown')
})

test('after a start, and after each change of the connection, agents have their time to come', () => {
  const clock = new FakeClock()
  const views = new AgentViewStore(clock)
  const beating = (seconds: number, isConnected: boolean): boolean[] =>
    Array.from({ length: seconds }, () => {
      views.beat(isConnected)
      const settles = views.isSettling()
      clock.advance(1000)
      return settles
    })
  const settling = (answers: readonly boolean[]): number => answers.filter(Boolean).length
  assert.equal(views.isSettling(), true)
  assert.equal(settling(beating(60, false)), 30)
  assert.equal(settling(beating(240, true)), 180)
  assert.equal(settling(beating(60, false)), 30)
  assert.equal(settling(beating(240, true)), 180)
  // A subscriber that says nothing any more is down at once.
  clock.advance(30_000)
  assert.deepEqual([views.subscriber(), views.isSettling()], ['down', false])
})
