import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@fleet/testing'
import { Report } from './report.ts'

function reporting() {
  const clock = new FakeClock()
  const said: string[] = []
  return { clock, said, report: new Report(clock, (text) => void said.push(text)) }
}

test('a step is said once it has ended, with its time and what it answers in words', async () => {
  const { clock, said, report } = reporting()
  assert.equal(await report.step('release', () => (clock.advance(2450), 'v2')), 'v2')
  assert.equal(await report.step('count', () => 7), 7)
  await report.step('nothing', () => undefined)
  assert.deepEqual(said, [
    'ok       release                       2.5 s  v2\n',
    'ok       count                         0.0 s\n',
    'ok       nothing                       0.0 s\n',
  ])
})

test('a step that fails is said too, and its error goes on', async () => {
  const { clock, said, report } = reporting()
  const work = (): never => {
    clock.advance(100)
    throw new Error('no space')
  }
  await assert.rejects(report.step('unpack', work), /^Error: no space$/)
  assert.deepEqual(said, ['FAILED   unpack                        0.1 s\n'])
})

test('a part stands below its step with the time since its start', () => {
  const { clock, said, report } = reporting()
  const start = report.ticks()
  clock.advance(1500)
  report.part('bootstrap', 'done', start)
  report.line('ready')
  assert.deepEqual(said, ['  done   bootstrap                     1.5 s\n', 'ready\n'])
})
