import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgentUnit, readAgentMessage } from '#/agents/messages.ts'
import { NodeView, unitKey } from '#/agents/view/node-view.ts'

const AT = '2026-11-21T10:00:00Z'
const AGENT = 'agent.7'
const INFO = { kind: 'agent', node_id: 7, version: '0.1.0' }
const SECOND = 1000

/** A view of Node 7 with a clock and the numbers of an agent. */
class Scene {
  readonly view = new NodeView(7)
  now = 100 * SECOND
  sequence = 0

  join(...members: readonly string[]): void {
    const infos = members.map((id) => [id, id === AGENT ? INFO : { kind: 'other' }] as const)
    this.view.joined(new Map(infos), this.now)
  }
  pass(seconds: number): this {
    this.now += seconds * SECOND
    return this
  }
  report(event: string, data: object = {}, userId: string | undefined = AGENT): boolean {
    this.sequence += 1
    const message = readAgentMessage(event, { sequence: this.sequence, at: AT, ...data })
    assert.ok(message && message.event !== 'client-log' && message.event !== 'client-log-end')
    return this.view.receive(userId, message, this.now)
  }
  beat = (): boolean => this.report('client-heartbeat')
  snapshot(units: readonly AgentUnit[], part = 1, parts = 1): boolean {
    return this.report('client-snapshot', { docker: 'available', part, parts, units })
  }
  workspaces(ids: readonly number[], part = 1, parts = 1): boolean {
    return this.report('client-workspaces', { part, parts, workspaces: ids.map((id) => workspace(id)) })
  }
  get seen() {
    return this.view.see(this.now)
  }
  get units(): readonly string[] | undefined {
    const { units } = this.seen
    return units && [...units.byKey.values()].map(({ name, runtime_status }) => `${name} ${runtime_status}`)
  }
}

const unit = (
  name: string,
  runtime_status = 'active',
  runtime: AgentUnit['runtime'] = 'systemd',
): AgentUnit => ({
  name,
  runtime,
  runtime_status,
})
const workspace = (instance_id: number, head: string | null = null) => ({
  instance_id,
  base: 'main',
  start: null,
  branch: null,
  head,
  dirty: null,
  commits: null,
  diff: null,
})

test('an agent is unknown until its member is there and an event of it arrived [AG-001, AG-002]', () => {
  const scene = new Scene()
  scene.join('gateway.1.1')
  assert.equal(scene.beat(), false)
  assert.equal(scene.seen.presence, 'unknown')
  scene.view.memberAdded(AGENT, INFO, scene.now)
  assert.equal(scene.seen.presence, 'unknown')
  assert.deepEqual([scene.seen.isFresh, scene.seen.units], [false, undefined])
  scene.beat()
  assert.equal(scene.seen.presence, 'online')
})

test('an agent whose member leaves is lost at once, and online with its next event after it came back [AG-003, AG-005]', () => {
  const scene = new Scene()
  scene.join(AGENT)
  scene.beat()
  scene.view.memberRemoved(AGENT)
  assert.equal(scene.seen.presence, 'lost')
  scene.view.memberAdded(AGENT, INFO, scene.now)
  assert.equal(scene.seen.presence, 'lost')
  scene.beat()
  assert.equal(scene.seen.presence, 'online')
})

test('an agent is lost after 15 seconds without an event, not a moment sooner [AG-004, AG-005, LIM-013]', () => {
  const scene = new Scene()
  scene.join(AGENT)
  scene.beat()
  assert.equal(scene.pass(14.999).seen.presence, 'online')
  assert.equal(scene.pass(0.001).seen.presence, 'lost')
  scene.beat()
  assert.equal(scene.seen.presence, 'online')
})

test('an event of anybody but the agent of this Node changes nothing [AG-018]', () => {
  const scene = new Scene()
  scene.join(AGENT, 'viewer.1.2', 'agent.8')
  for (const userId of ['viewer.1.2', 'agent.8', 'agent.70', undefined]) {
    const data = { docker: 'absent', part: 1, parts: 1, units: [] }
    assert.equal(scene.report('client-snapshot', data, userId ?? ''), false)
  }
  assert.deepEqual([scene.seen.presence, scene.seen.units], ['unknown', undefined])
})

test('a list counts when all its parts have come, in order, and keeps what was reported in between [AG-028, AG-030, AG-034]', () => {
  const scene = new Scene()
  scene.join(AGENT)
  scene.snapshot([unit('old'), unit('both')])
  scene.snapshot([unit('both', 'inactive'), unit('a')], 1, 3)
  scene.snapshot([unit('b')], 2, 3)
  assert.deepEqual(scene.units, ['old active', 'both active'])
  scene.report('client-process', { unit: unit('a', 'failed') })
  scene.beat()
  scene.snapshot([unit('c')], 3, 3)
  assert.deepEqual(scene.units, ['both inactive', 'a failed', 'b active', 'c active'])
  assert.ok(scene.seen.isFresh)
})

test('a list with a part missing, of another length or begun anew is not applied [AG-030]', () => {
  const begun = (): Scene => {
    const scene = new Scene()
    scene.join(AGENT)
    scene.snapshot([unit('old')])
    scene.snapshot([unit('a')], 1, 3)
    return scene
  }
  const skipping = begun()
  skipping.snapshot([unit('c')], 3, 3)
  assert.deepEqual(skipping.units, ['old active'])
  const other = begun()
  other.snapshot([unit('b')], 2, 2)
  assert.deepEqual(other.units, ['old active'])
  const again = begun()
  again.snapshot([unit('x')], 1, 2)
  again.snapshot([unit('y')], 2, 2)
  assert.deepEqual(again.units, ['x active', 'y active'])
})

test('a number that goes back drops what is known until the next snapshot, which may be that very message [AG-024, AG-025]', () => {
  const scene = new Scene()
  scene.join(AGENT)
  scene.snapshot([unit('a')])
  scene.workspaces([3])
  scene.sequence = 0
  scene.beat()
  assert.deepEqual(
    [scene.seen.presence, scene.units, scene.seen.workspaces],
    ['online', undefined, undefined],
  )
  assert.deepEqual([scene.seen.isFresh, scene.seen.docker], [false, undefined])
  scene.snapshot([unit('b')])
  assert.deepEqual([scene.units, scene.seen.isFresh], [['b active'], true])
  scene.sequence = 0
  scene.snapshot([unit('c')])
  assert.deepEqual([scene.units, scene.seen.isFresh], [['c active'], true])
})

test('a number that goes back after a member event is a new run, and nothing is dropped [AG-024, AG-025]', () => {
  const scene = new Scene()
  scene.join(AGENT)
  scene.snapshot([unit('a')])
  scene.view.memberRemoved(AGENT)
  scene.view.memberAdded(AGENT, { ...INFO, version: '0.2.0' }, scene.now)
  scene.sequence = 0
  scene.beat()
  assert.deepEqual([scene.units, scene.seen.isFresh, scene.seen.version], [['a active'], false, '0.2.0'])
  scene.snapshot([unit('b')])
  assert.deepEqual([scene.units, scene.seen.isFresh], [['b active'], true])
})

test('a number that is skipped says that something was lost, so nothing is fresh before the next snapshot', () => {
  const scene = new Scene()
  scene.join(AGENT)
  scene.snapshot([unit('a')])
  scene.sequence += 1
  scene.beat()
  assert.deepEqual([scene.units, scene.seen.isFresh], [['a active'], false])
  scene.snapshot([unit('a', 'failed')])
  assert.deepEqual([scene.units, scene.seen.isFresh], [['a failed'], true])
})

test('an agent that was frozen is believed again after a snapshot only', () => {
  const scene = new Scene()
  scene.join(AGENT)
  scene.snapshot([unit('a')])
  scene.pass(20).beat()
  assert.deepEqual([scene.seen.presence, scene.units, scene.seen.isFresh], ['online', ['a active'], false])
  scene.snapshot([unit('b')])
  assert.ok(scene.seen.isFresh)
})

test('what an agent reported is kept for 60 seconds after its last event and then forgotten [AGT-038]', () => {
  const scene = new Scene()
  scene.join(AGENT)
  scene.snapshot([unit('a')])
  scene.workspaces([3])
  scene.pass(59.999)
  assert.deepEqual(
    [scene.units, scene.seen.workspaces?.size, scene.seen.docker],
    [['a active'], 1, 'available'],
  )
  scene.pass(0.001)
  assert.deepEqual([scene.units, scene.seen.workspaces, scene.seen.docker], [undefined, undefined, undefined])
  scene.beat()
  assert.deepEqual([scene.seen.presence, scene.units], ['online', undefined])
})

test('workspaces are replaced by a list and changed one by one, for themselves [AG-036]', () => {
  const scene = new Scene()
  scene.join(AGENT)
  scene.workspaces([1, 2])
  assert.deepEqual([scene.seen.hasFreshWorkspaces, scene.seen.isFresh], [true, false])
  scene.report('client-workspace', { workspace: workspace(2, 'a'.repeat(40)) })
  assert.deepEqual(
    [...(scene.seen.workspaces?.values() ?? [])].map(({ head }) => head),
    [null, 'a'.repeat(40)],
  )
  scene.workspaces([3], 1, 2)
  assert.deepEqual([...(scene.seen.workspaces?.keys() ?? [])], [1, 2])
  scene.workspaces([4], 2, 2)
  assert.deepEqual([...(scene.seen.workspaces?.keys() ?? [])], [3, 4])
})

test('at most 4,096 units and 64 workspaces are held, and it is known that there are more [AGT-039]', () => {
  const scene = new Scene()
  scene.join(AGENT)
  const many = Array.from({ length: 4096 }, (_, index) => unit(`u-${index}`))
  scene.snapshot(many)
  assert.deepEqual([scene.seen.units?.byKey.size, scene.seen.units?.isCut], [4096, false])
  scene.report('client-process', { unit: unit('one-more') })
  scene.report('client-process', { unit: unit('u-0', 'failed') })
  assert.deepEqual([scene.seen.units?.byKey.size, scene.seen.units?.isCut], [4096, true])
  assert.equal(scene.seen.units?.byKey.get(unitKey(unit('u-0')))?.runtime_status, 'failed')
  const sixty = Array.from({ length: 60 }, (_, index) => index + 1)
  scene.workspaces(sixty, 1, 2)
  scene.workspaces([101, 102, 103, 104, 105], 2, 2)
  assert.equal(scene.seen.workspaces?.size, 64)
  scene.snapshot([unit('a')])
  assert.equal(scene.seen.units?.isCut, false)
})

test('a snapshot is asked for when it is owed for 5 seconds, ever more rarely while none comes [AGT-040]', () => {
  const scene = new Scene()
  scene.join('gateway.1.1')
  assert.equal(scene.pass(60).view.isSnapshotOverdue(scene.now), false)
  scene.view.memberAdded(AGENT, INFO, scene.now)
  for (const seconds of [5, 10, 20, 40, 60, 60]) {
    assert.equal(scene.pass(seconds - 0.001).view.isSnapshotOverdue(scene.now), false, `${seconds}`)
    assert.equal(scene.pass(0.001).view.isSnapshotOverdue(scene.now), true, `${seconds}`)
    scene.view.asked()
    scene.view.left()
    scene.join(AGENT)
  }
  scene.snapshot([])
  assert.equal(scene.pass(600).view.isSnapshotOverdue(scene.now), false)
  scene.sequence = 0
  scene.beat()
  assert.equal(scene.pass(5).view.isSnapshotOverdue(scene.now), true)
})

test('a snapshot that is owed by an agent that left is asked of nobody [AGT-040]', () => {
  const scene = new Scene()
  scene.join(AGENT)
  scene.view.memberRemoved(AGENT)
  assert.equal(scene.pass(60).view.isSnapshotOverdue(scene.now), false)
})

test('a snapshot of which parts were lost is owed [AGT-040]', () => {
  const scene = new Scene()
  scene.join(AGENT)
  scene.snapshot([])
  scene.snapshot([unit('a')], 2, 2)
  assert.equal(scene.pass(5).view.isSnapshotOverdue(scene.now), true)
})

test('members that look on are counted as long as they are there [AG-011]', () => {
  const scene = new Scene()
  scene.join(AGENT, 'gateway.1.1')
  assert.equal(scene.view.hasViewers, false)
  scene.view.memberAdded('viewer.2.2', {}, scene.now)
  assert.ok(scene.view.hasViewers)
  scene.view.memberRemoved('viewer.2.2')
  assert.equal(scene.view.hasViewers, false)
  scene.join(AGENT, 'viewer.3.3')
  assert.ok(scene.view.hasViewers)
  scene.view.left()
  assert.equal(scene.view.hasViewers, false)
})

test('while this side is away from the channel nothing is fresh any more once it is back, until a snapshot', () => {
  const scene = new Scene()
  scene.join(AGENT)
  scene.snapshot([unit('a')])
  scene.view.left()
  assert.deepEqual([scene.seen.presence, scene.seen.isFresh], ['online', false])
  scene.join(AGENT)
  scene.sequence = 40
  scene.beat()
  assert.deepEqual([scene.seen.presence, scene.units, scene.seen.isFresh], ['online', ['a active'], false])
  scene.view.left()
  scene.join('gateway.1.1')
  assert.equal(scene.seen.presence, 'lost')
})

test('what an agent says of itself is its version or nothing [AG-012, AG-038]', () => {
  const scene = new Scene()
  scene.join(AGENT)
  assert.equal(scene.seen.version, '0.1.0')
  for (const info of [undefined, null, {}, { version: 3 }, { version: null }, { version: 'x'.repeat(33) }]) {
    scene.view.memberAdded(AGENT, info, scene.now)
    assert.equal(scene.seen.version, undefined)
  }
})

test('an agent that speaks and is no member leads to a new look at the members', () => {
  const scene = new Scene()
  scene.join('gateway.1.1')
  scene.beat()
  assert.equal(scene.pass(5).view.isSnapshotOverdue(scene.now), true)
  scene.view.asked()
  scene.view.left()
  scene.join(AGENT)
  scene.beat()
  assert.equal(scene.seen.presence, 'online')
})
