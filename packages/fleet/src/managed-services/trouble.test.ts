import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { Secret } from '@fleet/kernel'
import { hookReportOf, troubleOf, unitDetailsOf } from '#/managed-services/trouble.ts'

const answered = (fields: Readonly<Record<string, string>>) => {
  const values = new Map(Object.entries(fields).map(([name, text]) => [name, Buffer.from(text)]))
  return { get: (name: string) => values.get(name) }
}

const STATES = [
  ['ActiveState=active SubState=running Result=success ExecMainStatus=0', 'active running'],
  ['ActiveState=failed SubState=failed Result=exit-code ExecMainStatus=78', 'failed (exit-code, status 78)'],
  ['ActiveState=failed SubState=failed Result=timeout ExecMainStatus=0', 'failed (timeout)'],
  ['ActiveState=inactive SubState=dead Result=success ExecMainStatus=1', 'inactive dead (status 1)'],
  ['ActiveState=failed Result=oom-kill', 'failed (oom-kill)'],
  ['ActiveState=activating SubState=auto-restart Result= ExecMainStatus=', 'activating auto-restart'],
  ['Result=exit-code', 'unknown'],
  ['', 'unknown'],
] as const
for (const [state, said] of STATES)
  test(`a unit of which systemd says "${state}" is "${said}"`, () =>
    assert.deepEqual(troubleOf(answered({ unit: 'fleet-agent.service', state })), {
      unit: 'fleet-agent.service',
      state: said,
      journal: [],
    }))

test('a journal is its last 12 lines of 240 characters, without empty ones, escapes and secrets', () => {
  const password = 'correct horse'
  const lines = [
    'first',
    '',
    '\u001B[31mred\u0007',
    'x'.repeat(240),
    'y'.repeat(241),
    `with ${password} in it`,
    'short',
  ]
  const journal = (given: readonly string[]) =>
    troubleOf(answered({ unit: 'a.service', journal: given.join('\n') }), [new Secret(password), 'short'])
      ?.journal
  assert.deepEqual(journal(lines), [
    'first',
    '[31mred',
    'x'.repeat(240),
    `${'y'.repeat(239)}…`,
    'with [REDACTED] in it',
    'short',
  ])
  const counted = Array.from({ length: 13 }, (_, at) => `line ${at + 1}`)
  assert.deepEqual(journal(counted), counted.slice(1))
})

test('of several lines of a secret each of six characters is masked', () => {
  const secrets = [new Secret('-----BEGIN KEY\nabcdef\nvwxyz')]
  const trouble = troubleOf(answered({ unit: 'a.service', journal: 'read abcdef, vwxyz' }), secrets)
  assert.deepEqual(trouble?.journal, ['read [REDACTED], vwxyz'])
})

test('no unit, or one of another name than a unit has, is no trouble of a unit', () => {
  for (const unit of ['', 'a b.service', 'a/b.service', 'a'.repeat(129)])
    assert.equal(troubleOf(answered({ unit, state: 'ActiveState=failed' })), undefined, unit)
  assert.equal(troubleOf(answered({})), undefined)
  assert.equal(troubleOf(answered({ unit: 'a'.repeat(128) }))?.unit.length, 128)
})

test('what a hook says of its failure is masked, and nothing without the name of a stage', () => {
  const message = 'first\n\n\u001Bsecond of hunter22'
  assert.deepEqual(hookReportOf(answered({ stage: 'read-config', message }), ['hunter22']), {
    stage: 'read-config',
    message: 'first\nsecond of [REDACTED]',
  })
  assert.deepEqual(hookReportOf(answered({ stage: 'a' })), { stage: 'a', message: '' })
  for (const stage of ['', 'Read', 'a'.repeat(41)])
    assert.equal(hookReportOf(answered({ stage, message })), undefined, stage)
})

test('facts about a unit are taken from an error only where all of them are there', () => {
  const facts = { unit: 'a.service', state: 'failed', journal: ['one', 'two'] }
  const error = (details: object) => fail('process.runtime_failed', { details: { ...details } })
  assert.deepEqual(unitDetailsOf(error({ ...facts, node: 1 })), facts)
  assert.deepEqual(unitDetailsOf(error({ ...facts, journal: ['one', 2] })), { ...facts, journal: ['one'] })
  for (const [name, value] of [
    ['unit', 1],
    ['state', null],
    ['journal', 'one'],
  ] as const)
    assert.deepEqual(unitDetailsOf(error({ ...facts, [name]: value })), {}, name)
  assert.deepEqual(unitDetailsOf(undefined), {})
})
