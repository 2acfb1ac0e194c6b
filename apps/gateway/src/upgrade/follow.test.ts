import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { followUpgrade } from './follow.ts'
import { inProgress, type UpgradeState } from './state.ts'

const begun: UpgradeState = {
  id: '00000000-0000-4000-8000-000000000001',
  from: 'v1',
  to: 'v2',
  started_at: '2026-01-01T00:00:00.000Z',
  phase: 'forward',
  step: 'begin',
  snapshot: null,
  reason: null,
}

interface Round {
  readonly state?: UpgradeState
  readonly outcome?: UpgradeState
  readonly isCarried?: boolean
  readonly failure?: string
}

/** Follows an upgrade through these rounds, the last of which stays. */
async function follow(rounds: readonly Round[]) {
  const lines: string[] = []
  let at = 0
  const now = (): Round => rounds[Math.min(at, rounds.length - 1)] ?? assert.fail()
  const sleep = async (): Promise<void> => void (at += 1)
  const ended = await followUpgrade(begun, {
    clock: { ...systemClock, sleep },
    say: (line) => lines.push(line),
    find: () => now().state,
    findOutcome: () => now().outcome,
    findFailure: ({ id, step }) => {
      const { failure: message } = now()
      return message === undefined ? undefined : { id, step, message }
    },
    isCarried: async () => now().isCarried ?? true,
  }).catch((error: unknown) => error)
  return { lines, ended, rounds: at }
}

test('the steps of an upgrade are shown once each, to its outcome', async () => {
  const back = {
    ...begun,
    phase: 'back',
    step: 'stop',
    reason: { step: 'smoke', message: 'it is broken' },
  } as const
  const other = { ...begun, id: '00000000-0000-4000-8000-000000000002' }
  const { lines, ended } = await follow([
    { state: begun, outcome: other },
    { state: begun },
    { state: back },
    { outcome: other },
    { outcome: back },
  ])
  assert.deepEqual(lines, ['forward  begin', 'failed   smoke: it is broken', 'back     stop'])
  assert.equal(ended, back)
})

test('the outcome of an upgrade whose state is still there is waited for: until then no other can begin', async () => {
  const { ended, rounds } = await follow([{ state: begun, outcome: begun }, { outcome: begun }])
  assert.deepEqual([ended, rounds], [begun, 1])
})

test('an upgrade that nothing carries out any more is reported with what resumes it, and not at once', async () => {
  const { ended, rounds } = await follow([{ state: begun, isCarried: false }])
  assert.ok(ended instanceof Error)
  assert.equal(ended.message, 'The upgrade stopped at begin, and nothing carries it out any more.')
  assert.equal(rounds, 25)
  const slow = Array.from({ length: 24 }, () => ({ state: begun, isCarried: false }))
  assert.equal((await follow([...slow, { state: begun }, ...slow, { outcome: begun }])).ended, begun)
})

test('why a step is repeated is shown once for each reason, with where more is', async () => {
  const back = { ...begun, phase: 'back', step: 'records' } as const
  const { lines } = await follow([
    { state: back },
    { state: back, failure: 'no server' },
    { state: back, failure: 'no server' },
    { state: back, failure: 'no room' },
    { outcome: back },
  ])
  assert.deepEqual(lines, [
    'back     records',
    'again    records: no server (journalctl -u fleet-gateway-upgrade.service)',
    'again    records: no room (journalctl -u fleet-gateway-upgrade.service)',
  ])
})

test('a person reads whether an upgrade is carried out, or what resumes it', () => {
  assert.equal(inProgress(begun, true, undefined), 'An upgrade to v2 is in progress, at begin.')
  assert.equal(
    inProgress(begun, false, undefined),
    'An upgrade to v2 was interrupted at begin; `fleet-gateway upgrade` resumes it.',
  )
})
