import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AgentEvent, agentMessages, readAgentMessage } from '#/agents/messages.ts'

const AT = '2026-11-21T10:00:00.123Z'
const STREAM = 'a'.repeat(32)
const COMMIT = 'b'.repeat(40)
const unit = { name: 'orbit-process-7-queue', runtime: 'systemd', runtime_status: 'active' }
const workspace = {
  instance_id: 3,
  base: 'main',
  start: COMMIT,
  branch: 'task/3',
  head: COMMIT,
  dirty: false,
  commits: 2,
  diff: { files: 1, added: 3, removed: 0, truncated: false },
}

const SAMPLES = {
  'client-heartbeat': { sequence: 1, at: AT },
  'client-snapshot': { sequence: 2, at: AT, docker: 'available', part: 1, parts: 1, units: [unit] },
  'client-process': { sequence: 3, at: AT, unit: { ...unit, runtime: 'docker', runtime_status: 'exited' } },
  'client-workspaces': { sequence: 4, at: AT, part: 1, parts: 2, workspaces: [workspace] },
  'client-workspace': { sequence: 5, at: AT, workspace },
  'client-log': { stream: STREAM, sequence: 1, lines: ['one', ''], dropped: 0, skipped: 0 },
  'client-log-end': { stream: STREAM, reason: 'source_unavailable' },
} as const satisfies Record<AgentEvent, unknown>
const EVENTS = Object.keys(SAMPLES) as AgentEvent[] // The keys of the table above.

test('every message of an agent is read as it was sent [AG-026, AG-027, AG-028, AG-032, AG-033, LOGS-009, LOGS-010]', () => {
  for (const event of EVENTS)
    assert.deepEqual(readAgentMessage(event, SAMPLES[event]), { event, data: SAMPLES[event] })
})

test('a workspace whose facts cannot be read has nulls [AGT-024, AGT-025, AGT-026, AGT-027, AGT-028, AGT-029]', () => {
  const nothing = {
    ...workspace,
    start: null,
    branch: null,
    head: null,
    dirty: null,
    commits: null,
    diff: null,
  }
  const huge = { ...workspace, diff: { files: 6000, added: null, removed: null, truncated: true } }
  for (const given of [nothing, huge])
    assert.ok(readAgentMessage('client-workspace', { sequence: 1, at: AT, workspace: given }))
})

test('a member that this gateway does not know is left out', () => {
  const read = readAgentMessage('client-heartbeat', { sequence: 1, at: AT, load: 0.5 })
  assert.deepEqual(read?.data, { sequence: 1, at: AT })
})

const refused: ReadonlyArray<readonly [AgentEvent, object]> = [
  ['client-heartbeat', { sequence: 0 }],
  ['client-heartbeat', { sequence: 1.5 }],
  ['client-heartbeat', { sequence: '1' }],
  ['client-heartbeat', { at: '2026-11-21T10:00:00+01:00' }],
  ['client-heartbeat', { at: 1 }],
  ['client-snapshot', { docker: 'unknown' }],
  ['client-snapshot', { part: 0 }],
  ['client-snapshot', { part: 2, parts: 1 }],
  ['client-snapshot', { part: 1, parts: 513 }],
  ['client-snapshot', { units: [{ ...unit, name: '' }] }],
  ['client-snapshot', { units: [{ ...unit, name: 'a b' }] }],
  ['client-snapshot', { units: [{ ...unit, runtime: 'podman' }] }],
  ['client-snapshot', { units: Array.from({ length: 4097 }, () => unit) }],
  ['client-process', { unit: { ...unit, runtime_status: 'Active; rm' } }],
  ['client-workspaces', { part: 3, parts: 2 }],
  ['client-workspaces', { workspaces: Array.from({ length: 65 }, () => workspace) }],
  ['client-workspace', { workspace: { ...workspace, branch: 'x'.repeat(256) } }],
  ['client-workspace', { workspace: { ...workspace, head: 'HEAD' } }],
  ['client-workspace', { workspace: { ...workspace, commits: 1001 } }],
  ['client-log', { stream: 'A'.repeat(32) }],
  ['client-log', { lines: ['a\nb'] }],
  ['client-log', { lines: ['x'.repeat(8204)] }],
  ['client-log', { lines: Array.from({ length: 3334 }, () => '') }],
  ['client-log', { dropped: -1 }],
  ['client-log', { skipped: null }],
  ['client-log-end', { reason: 'bored' }],
]

test('what is out of shape or bounds is no message [AGT-039, AG-028, LOGS-016]', () => {
  for (const [event, change] of refused)
    assert.equal(readAgentMessage(event, { ...SAMPLES[event], ...change }), undefined, JSON.stringify(change))
  for (const event of EVENTS)
    for (const name of Object.keys(SAMPLES[event])) {
      const less = Object.fromEntries(Object.entries(SAMPLES[event]).filter(([key]) => key !== name))
      assert.equal(readAgentMessage(event, less), undefined, `${event} without ${name}`)
    }
})

test('no name and no data whatever throws', () => {
  const names = fc.oneof(
    fc.constantFrom(...EVENTS),
    fc.constantFrom('__proto__', 'toString', 'client-'),
    fc.string(),
  )
  fc.assert(
    fc.property(names, fc.anything({ withNullPrototype: true }), (event, data) => {
      readAgentMessage(event, data)
    }),
  )
})

test('one member with any value gives the message of the schema or none', () => {
  const changed = fc.constantFrom(...EVENTS).chain((event) =>
    fc.record({
      event: fc.constant(event),
      name: fc.constantFrom(...Object.keys(SAMPLES[event])),
      value: fc.jsonValue(),
    }),
  )
  fc.assert(
    fc.property(changed, ({ event, name, value }) => {
      const read = readAgentMessage(event, { ...SAMPLES[event], [name]: value })
      // A message that was read is read again as the same one.
      if (read) assert.deepEqual(agentMessages[event].parse(read.data), read.data)
    }),
  )
})
