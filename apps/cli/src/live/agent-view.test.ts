import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AgentView } from './agent-view.ts'

const unit = (name: string, runtime_status = 'active') => ({ name, runtime: 'systemd', runtime_status })
const snapshot = (sequence: number, names: readonly string[], part = 1, parts = 1) => ({
  sequence,
  docker: 'absent',
  part,
  parts,
  units: names.map((name) => unit(name)),
})

function online(): AgentView {
  const view = new AgentView(3)
  view.joined('agent.3', { kind: 'agent', node_id: 3, version: '1.2.3' })
  view.hear('client-heartbeat', { sequence: 1 }, 'agent.3', 0)
  return view
}

test('an agent is online once it is a member and was heard, and lost after 15 s of silence or when it leaves [AG-001, AG-003, AG-004, AG-005]', () => {
  const view = new AgentView(3)
  assert.equal(view.presence(0), 'unknown')
  view.joined('agent.3', { version: '1.2.3' })
  assert.equal(view.presence(0), 'unknown')
  view.hear('client-heartbeat', { sequence: 1 }, 'agent.3', 0)
  assert.deepEqual([view.presence(14_999), view.presence(15_000), view.version], ['online', 'lost', '1.2.3'])
  view.hear('client-heartbeat', { sequence: 2 }, 'agent.3', 20_000)
  assert.equal(view.presence(20_000), 'online')
  view.left('agent.3')
  assert.equal(view.presence(20_000), 'lost')
  view.joined('agent.3', { version: '1.2.3' })
  assert.deepEqual([view.presence(20_001), view.silence(20_001)], ['lost', 1])
  view.hear('client-heartbeat', { sequence: 1 }, 'agent.3', 20_002)
  assert.equal(view.presence(20_002), 'online')
})

test('what others say, and what an agent says twice, changes nothing [AG-018, AG-024]', () => {
  const view = online()
  view.hear('client-snapshot', snapshot(2, ['a']), 'viewer.1', 0)
  view.hear('client-snapshot', snapshot(2, ['a']), undefined, 0)
  view.hear('client-snapshot', snapshot(1, ['a']), 'agent.3', 0)
  view.left('agent.4')
  assert.deepEqual([view.units, view.presence(0)], [[], 'online'])
})

test('a list in parts counts when all have arrived, and never half of it [AG-028, AG-030, AG-034]', () => {
  const view = online()
  view.hear('client-snapshot', snapshot(2, ['b'], 1, 2), 'agent.3', 0)
  assert.equal(view.hasSnapshot, false)
  view.hear('client-snapshot', snapshot(3, ['a'], 2, 2), 'agent.3', 0)
  assert.deepEqual(
    view.units.map(({ name }) => name),
    ['a', 'b'],
  )
  view.hear('client-snapshot', snapshot(4, ['c'], 2, 2), 'agent.3', 0)
  view.hear('client-snapshot', snapshot(5, ['c'], 1, 3), 'agent.3', 0)
  view.hear('client-snapshot', snapshot(6, ['d'], 3, 3), 'agent.3', 0)
  assert.equal(view.units.length, 2)
})

test('a unit that changes is shown as it is now, and a run that begins anew forgets everything before [AG-025]', () => {
  const view = online()
  view.hear('client-snapshot', snapshot(5, ['a', 'b']), 'agent.3', 0)
  view.hear('client-process', { sequence: 6, unit: unit('a', 'failed') }, 'agent.3', 0)
  assert.equal(view.units[0]?.runtime_status, 'failed')
  view.hear('client-heartbeat', { sequence: 3 }, 'agent.3', 0)
  assert.deepEqual([view.units, view.hasSnapshot], [[], false])
})

test('workspaces are replaced by a whole list and changed one by one [AG-036]', () => {
  const view = online()
  const workspaces = [{ instance_id: 7, branch: 'main' }, { instance_id: 8 }, 'nonsense']
  view.hear('client-workspaces', { sequence: 2, part: 1, parts: 1, workspaces }, 'agent.3', 0)
  view.hear('client-workspace', { sequence: 3, workspace: { instance_id: 7, branch: 'next' } }, 'agent.3', 0)
  assert.deepEqual(view.workspaces, [{ instance_id: 7, branch: 'next' }, { instance_id: 8 }])
})
