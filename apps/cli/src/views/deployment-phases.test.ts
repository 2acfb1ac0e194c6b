import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeploymentDetailData } from '@fleet/contract'
import { plain } from '#/terminal.ts'
import { phaseLines } from './deployment-phases.ts'

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 2) + seconds * 1000).toISOString()
const phase = (seconds: number, name: string, step_name: string | null = null) => ({
  request_id: 'r',
  deployment_id: 21,
  sequence: 1,
  type: 'phase',
  at: at(seconds),
  phase: name,
  step_name,
})

test('the phases of a deployment are drawn with their times, steps below them, and one in progress has no end yet', () => {
  const events = [
    phase(0, 'source_preparation'),
    phase(4, 'before_activation'),
    phase(4, 'before_activation', 'build'),
    phase(6, 'before_activation', 'test'),
    phase(7, 'activation'),
  ] as DeploymentDetailData['events'] // Lines as the gateway writes them.
  const record = { events, status: 'running', finished_at: null } as unknown as DeploymentDetailData // What the drawing reads.
  const paper = { columns: 100, colors: plain, messageOf: () => undefined }
  assert.deepEqual(phaseLines(record, paper), [
    `  source preparation      4.0 s  ${'━'.repeat(18)}`,
    `  before activation       3.0 s  ${' '.repeat(18)}${'━'.repeat(14)}`,
    `    build                 2.0 s  ${' '.repeat(18)}${'━'.repeat(9)}`,
    `    test                  1.0 s  ${' '.repeat(27)}${'━'.repeat(5)}`,
    `  activation            running  ${' '.repeat(31)}━`,
  ])
  const over: DeploymentDetailData = { ...record, status: 'failed', finished_at: at(9) }
  assert.equal(
    phaseLines(over, paper).at(-1),
    `  activation              2.0 s  ${' '.repeat(24)}${'━'.repeat(8)} failed`,
  )
  assert.deepEqual(phaseLines({ ...record, events: [] }, paper), [])
})

test('a clock that was set back during a deployment takes its time from the phase of that moment alone', () => {
  const events = [
    phase(3600, 'source_preparation'),
    phase(3602, 'environment_sync'),
    phase(4, 'before_activation'),
    phase(4, 'before_activation', 'build'),
    phase(6, 'activation'),
  ] as DeploymentDetailData['events'] // Lines as the gateway writes them.
  const record = { events, status: 'succeeded', finished_at: at(10) } as unknown as DeploymentDetailData // What the drawing reads.
  const paper = { columns: 100, colors: plain, messageOf: () => undefined }
  assert.deepEqual(phaseLines(record, paper), [
    `  source preparation      2.0 s  ${'━'.repeat(8)}`,
    `  environment sync        0.0 s  ${' '.repeat(8)}━`,
    `  before activation       2.0 s  ${' '.repeat(8)}${'━'.repeat(8)}`,
    `    build                 2.0 s  ${' '.repeat(8)}${'━'.repeat(8)}`,
    `  activation              4.0 s  ${' '.repeat(16)}${'━'.repeat(16)}`,
  ])
})
