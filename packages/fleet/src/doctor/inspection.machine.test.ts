import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { localPool } from '@fleet/testing'
import { ANSWER_LIMITS, inspection, readInspection } from '#/doctor/inspection.ts'
import type { PrintedAnswer, Question } from '#/nodes/api.ts'

const target = { nodeId: 1, host: '127.0.0.1', port: 22, user: 'root', fingerprint: '' }
const question = (source: string, ...args: string[]): Question<PrintedAnswer> => ({
  source,
  args,
  read: (answer) => answer,
})
const isListed = existsSync(`/proc/${process.pid}/task/${process.pid}/children`)
const where = isListed ? {} : { skip: 'needs a kernel that lists children' }

test(
  'a question that hangs is ended with all that it started, and that alone [DRF-027]',
  where,
  async (context) => {
    const home = mkdtempSync(join(tmpdir(), 'fleet-late-'))
    context.after(() => rmSync(home, { recursive: true }))
    const started = join(home, 'started')
    const hangs = `printf half.; echo "$(sh -c 'echo $$ >"$1"; sleep 600; :' sh "$1")"; echo on`
    const questions = [
      question('echo before'),
      question(hangs, started),
      question('echo after'),
      question('printf "its own."; exit 137'),
    ]
    const { stdout } = await localPool({ home }).run(target, inspection(questions, ANSWER_LIMITS, 3), {
      timeoutMilliseconds: 60_000,
      maxOutputBytes: 1024,
    })
    assert.deepEqual(readInspection(stdout, questions.length), [
      { exitCode: 0, text: 'before' },
      'late',
      { exitCode: 0, text: 'after' },
      { exitCode: 137, text: 'its own.' },
    ])
    assert.equal(isRunning(readFileSync(started, 'utf8').trim()), false)
  },
)

/** Whoever adopted it may not have read yet how it ended. */
const isRunning = (pid: string): boolean => {
  const path = `/proc/${pid}/stat`
  return existsSync(path) && !readFileSync(path, 'utf8').includes(') Z ')
}
