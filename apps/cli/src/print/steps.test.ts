import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WatchedStep } from '@fleet/sdk/core'
import { FakeTerminal } from '#/fake-terminal.ts'
import { StepLines } from './steps.ts'

const at = '2026-01-02T03:04:05.000Z'
const story: readonly WatchedStep[] = [
  { type: 'step', step: 'ssh-host-key', status: 'started', at },
  { type: 'step', step: 'ssh-host-key', status: 'done', at, milliseconds: 84 },
  { type: 'step', step: 'bootstrap', status: 'started', at },
  { type: 'step', step: 'bootstrap', status: 'done', at, milliseconds: 12_345 },
  { type: 'step', step: 'metrics-exporters', status: 'skipped', at },
  { type: 'step', step: 'agent', status: 'started', at },
  { type: 'step', step: 'agent', status: 'failed', at, milliseconds: 120_000 },
]

function reported(terminal: FakeTerminal): { readonly text: string; readonly labels: readonly string[] } {
  const lines = new StepLines('node:add', terminal)
  const labels = story.map((step) => (lines.report(step), lines.label()))
  lines.finish(135_000)
  return { text: terminal.errText, labels }
}

test('on a terminal each step that ends is a marked line with its time', () => {
  assert.equal(
    reported(new FakeTerminal({ isTerminal: true })).text,
    [
      '✓ ssh-host-key                 0.1 s',
      '✓ bootstrap                   12.3 s',
      '– metrics-exporters          skipped',
      '✗ agent                      120.0 s',
      '4 steps in 135.0 s',
      '',
    ].join('\n'),
  )
})

test('without a terminal each step is a line that reads as a sentence', () => {
  assert.equal(
    reported(new FakeTerminal()).text,
    [
      'ssh-host-key: done after 0.1 s',
      'bootstrap: done after 12.3 s',
      'metrics-exporters: skipped',
      'agent: failed after 120.0 s',
      '4 steps in 135.0 s',
      '',
    ].join('\n'),
  )
})

test('what runs is named between the lines', () => {
  assert.deepEqual(reported(new FakeTerminal()).labels, [
    'node:add: ssh-host-key',
    'node:add',
    'node:add: bootstrap',
    'node:add',
    'node:add',
    'node:add: agent',
    'node:add',
  ])
})

test('the line of the terminal is free before a step is printed, and a name cannot steer it', () => {
  const terminal = new FakeTerminal({ isTerminal: true })
  const lines = new StepLines('node:add', terminal)
  lines.hide = () => terminal.err('[hidden]')
  lines.report({ type: 'step', step: 'a\u001b[2J', status: 'done', at })
  assert.equal(terminal.errText, '[hidden]✓ a\\u001b[2J\n')
})

test('work without steps says nothing about steps', () => {
  const terminal = new FakeTerminal()
  new StepLines('node:add', terminal).finish(1000)
  assert.equal(terminal.errText, '')
})
