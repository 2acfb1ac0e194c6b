import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { eventually } from '@fleet/testing'
import { journal } from './journal.ts'
import type { Line } from './lines.ts'

const entry = (cursor: string, MESSAGE: unknown): string => JSON.stringify({ __CURSOR: cursor, MESSAGE })

/** Plays journalctl: answers the first texts, then once the others, then nothing, or fails. */
function playing(context: TestContext, first: readonly string[], then: readonly string[], end = 'exit 0') {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-journal-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const program = join(folder, 'journalctl')
  writeFileSync(join(folder, 'first'), first.map((line) => `${line}\n`).join(''))
  writeFileSync(join(folder, 'then'), then.map((line) => `${line}\n`).join(''))
  const source = `#!/bin/sh
cd ${folder}
echo "$*" >>asked
case $(wc -l <asked) in 1) cat first ;; 2) cat then ;; *) ${end} ;; esac
`
  writeFileSync(program, source, { mode: 0o755 })
  return { program, asked: () => readFileSync(join(folder, 'asked'), 'utf8').trimEnd().split('\n') }
}

const collecting = () => {
  const [first, later]: [Line[], Line[]] = [[], []]
  const sink = {
    first: (lines: readonly Line[]) => void first.push(...lines),
    take: (lines: readonly Line[]) => void later.push(...lines),
    skip: () => undefined,
    room: 0,
  }
  return { sink, first, later }
}
const WORDS = '--quiet --no-pager --all --output=json --output-fields=MESSAGE --unit=u.service'

test('a journal continues behind the last entry that was read, with every line of an entry, and ends with its reader', async (context) => {
  const numbers = [...Buffer.from('caf\u00e9 \u0001')]
  const played = playing(
    context,
    [entry('c1', 'a\nb'), entry('c2', 'c')],
    [entry('c3', numbers), 'rubbish', entry('c4', null), entry('c5', 'd')],
  )
  const stop = new AbortController()
  const { sink, first, later } = collecting()
  const reading = journal('u.service', 10, systemClock, played.program)(sink, stop.signal)
  await eventually(() => later.length === 4)
  assert.deepEqual(
    first.map(({ text }) => text),
    ['a', 'b', 'c'],
  )
  assert.deepEqual(
    later.map(({ text }) => text),
    ['café \u0001', '', '', 'd'],
  )
  await eventually(() => played.asked().length >= 3)
  stop.abort()
  await reading
  assert.deepEqual(played.asked().slice(0, 3), [
    `${WORDS} --lines=210`,
    `${WORDS} --after-cursor=c2`,
    `${WORDS} --after-cursor=c5`,
  ])
})

test('an empty journal is read from its start, so that nothing is lost in between', async (context) => {
  const played = playing(context, [], [entry('c1', 'a')])
  const stop = new AbortController()
  const { sink, later } = collecting()
  const reading = journal('u.service', 10, systemClock, played.program)(sink, stop.signal)
  await eventually(() => later.length === 1)
  assert.equal(played.asked()[1], WORDS)
  stop.abort()
  await reading
})

test('an entry holds 256 KiB; the rest of it is reported as cut [LOGS-016]', async (context) => {
  const played = playing(context, [entry('c1', 'x'.repeat(300_000))], [])
  const stop = new AbortController()
  const { sink, first } = collecting()
  const reading = journal('u.service', 10, systemClock, played.program)(sink, stop.signal)
  await eventually(() => first.length === 1)
  assert.deepEqual([first[0]?.text.length, first[0]?.skipped], [262_144, 300_000 - 262_144])
  stop.abort()
  await reading
})

test('a journal that cannot be read, or not any more, is no source [LOGS-008]', async (context) => {
  const played = playing(context, [], [entry('c1', 'a')], 'exit 1')
  const signal = new AbortController().signal
  for (const program of [played.program, '/nonexistent', '/bin/false'])
    await assert.rejects(journal('u.service', 10, systemClock, program)(collecting().sink, signal), {
      name: 'SourceUnavailable',
    })
})
