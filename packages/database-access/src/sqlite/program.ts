import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { systemClock } from '@fleet/kernel'
import { DatabaseFailure } from '#/failure.ts'
import { timeOver } from '#/time/time-limit.ts'
import { answer } from './answer.ts'
import { type Answer, readEnvelope } from './envelope.ts'

/** The word that asks the program to do the work itself; only its own parent passes it. */
const INSIDE = '--inside'
/** KiB of memory that the child may write to, and open files. Where the shell or the system knows no such limit, none. */
const SHELL = 'ulimit -d 1572864; ulimit -n 64; ulimit -c 0; ulimit -t "$1"; shift; exec "$@"'
const MAX_ENVELOPE_BYTES = 1024 * 1024
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/**
 * `node-sqlite`: reads an envelope from standard input and prints an answer. The work is done by a child with limits of
 * memory, files and processor time, which is killed when its time is over: a single step of SQLite can take for ever
 * and asks nobody meanwhile. `self` is how this program is started again.
 */
export async function main(words: readonly string[], self: readonly string[]): Promise<number> {
  const input = await text(process.stdin)
  if (input.length > MAX_ENVELOPE_BYTES) return 64
  if (words[0] === INSIDE) return print(answer(readEnvelope(input)))
  return print(await supervise(input, self))
}

/** What the child does, in this process: an answer for an envelope, both as text. */
export const answerTo = (input: string): string => JSON.stringify(answer(readEnvelope(input)))

const print = (given: Answer): Promise<number> =>
  new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(given)}\n`, () => resolve(0))
  })

async function supervise(input: string, self: readonly string[]): Promise<Answer> {
  const { timeoutMilliseconds } = readEnvelope(input)
  const seconds = String(Math.ceil(timeoutMilliseconds / 1000) + 1)
  const child = spawn('/bin/sh', ['-c', SHELL, 'sh', seconds, ...self, INSIDE], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const kill = (): void => void child.kill('SIGKILL')
  // Whoever ends this program ends its child; one that is killed leaves it to the limit of processor time.
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.once(signal, kill)
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  using timer = systemClock.timer(timeoutMilliseconds)
  let isOver = false
  void timer.over.then(() => {
    isOver = true
    kill()
  })
  const output = await bounded(child.stdout, kill)
  if (output.endsWith('\n')) return JSON.parse(output) as Answer // as: printed by this program's own child.
  const { code, message, details } = isOver ? timeOver() : answerLost()
  return { kind: 'failure', code, message, details }
}

async function bounded(stream: AsyncIterable<Buffer>, kill: () => void): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of stream) {
    length += part.length
    if (length > MAX_ANSWER_BYTES) kill()
    else parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

/** Its child was killed for a row longer than an answer, or for its memory. */
const answerLost = (): DatabaseFailure =>
  new DatabaseFailure(
    'database.query_failed',
    'The command that reads the SQLite file ended on its Node before it had answered: a row or the work was too large for it. Ask for less; a statement with `write` may have been run all the same.',
    { reason: 'lost' },
  )
