import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Word } from '@fleet/shell'
import { localPool } from '@fleet/testing'
import {
  type AnswerLimits,
  inspection,
  type Inspected,
  readInspection,
  readStarted,
} from '#/doctor/inspection.ts'
import { type PrintedAnswer, type Question, readPrinted } from '#/nodes/api.ts'

const target = { nodeId: 1, host: '127.0.0.1', port: 22, user: 'root', fingerprint: '' }
const question = (source: string, ...args: Word[]): Question<PrintedAnswer> => ({
  source,
  args,
  read: (answer) => answer,
})

const ask = (...questions: readonly Question<unknown>[]) => askWithin(undefined, ...questions)

async function askWithin(
  limits: AnswerLimits | undefined,
  ...questions: readonly Question<unknown>[]
): Promise<readonly Inspected[] | undefined> {
  const { stdout } = await localPool({ home: '/' }).run(target, inspection(questions, limits), {
    timeoutMilliseconds: 20_000,
    maxOutputBytes: 32 * 1024 * 1024,
  })
  return readInspection(stdout, questions.length)
}

test('each question gets its own arguments and answers with its own code and text', async () => {
  const many = Array.from({ length: 12 }, (_, at) => `it's $${at}`)
  assert.deepEqual(
    await ask(
      question('echo "$#"; echo "$1|$2"', 'a b', ''),
      question('exit 3'),
      question('echo "$#"; shift 9; echo "$1"', ...many),
      question('printf "%s" "$1"', '-n'),
    ),
    [
      { exitCode: 0, text: '2\na b|' },
      { exitCode: 3, text: '' },
      { exitCode: 0, text: "12\nit's $9" },
      { exitCode: 0, text: '-n' },
    ],
  )
})

test('a question can neither disturb the others nor speak on standard error or read input', async () => {
  assert.deepEqual(
    await ask(
      question('set -eu; umask 077; PATH=; exec 3>&1; echo "$missing"'),
      question('cat; echo "$(umask)" >&2; ls /nowhere; printf "%s" "${PATH:+path}"'),
    ),
    [
      { exitCode: 2, text: '' },
      { exitCode: 0, text: 'path' },
    ],
  )
})

test('an answer whose last field is empty is read whole', async () => {
  const asked = question(`printf 'up 3\\nyes\\npeers 0\\n\\n'`)
  const [printed] = (await ask(asked, question('printf "\\n\\n\\n"; exit 4'))) ?? []
  assert.ok(printed !== undefined && printed !== 'too_large' && printed !== 'late')
  const peers = readPrinted(printed, (answer) => [answer.flag('up'), answer.text('peers')])
  assert.deepEqual(peers, [true, ''])
  assert.deepEqual(await ask(question('printf "\\n\\n\\n"; exit 4')), [{ exitCode: 4, text: '\n\n' }])
})

test('an answer that is too large is that alone, and of those that are too many together the last ones are', async () => {
  const bytes = (count: number) => question(`printf "%0${count}d\\n" 0`)
  const lengths = async (limits: AnswerLimits | undefined, ...counts: readonly number[]) =>
    (await askWithin(limits, ...counts.map(bytes)))?.map((answer) =>
      typeof answer === 'string' ? answer : answer.text.length,
    )
  assert.deepEqual(await lengths({ each: 30, all: 70 }, 10, 31, 30), [10, 'too_large', 30])
  assert.deepEqual(await lengths({ each: 30, all: 70 }, 30, 30, 11, 10, 1), [
    30,
    30,
    'too_large',
    10,
    'too_large',
  ])
  assert.deepEqual(await lengths(undefined, 600_000, 4_194_305, 7), [600_000, 'too_large', 7])
})

test('of a script that was ended the answers that came in full are read, and the others are late', () => {
  const read = (...fields: readonly string[]) => readStarted(Buffer.from(fields.join('\0')), 3)
  const answer = (text: string) => ({ exitCode: 0, text })
  assert.deepEqual(read('0', 'a', 'large', '', '0', 'c', ''), [answer('a'), 'too_large', answer('c')])
  assert.deepEqual(read('0', 'a', 'late', '', '0', 'half'), [answer('a'), 'late', 'late'])
  assert.deepEqual(read('0', 'a', '0', ''), [answer('a'), 'late', 'late'])
  assert.deepEqual(read(''), ['late', 'late', 'late'])
})

test('an answer that is not whole is none', () => {
  assert.equal(readInspection(Buffer.from('0\0text\0'), 2), undefined)
  assert.equal(readInspection(Buffer.from('0\0text'), 1), undefined)
  assert.deepEqual(readInspection(Buffer.from('0\0text\0'), 1), [{ exitCode: 0, text: 'text' }])
  assert.deepEqual(readInspection(Buffer.alloc(0), 0), [])
})

test('the questions of a report are one script whose log line says how many', () => {
  const command = inspection([question('true'), question('false')])
  assert.equal(command.shown, "script 'inspect the machine' (2 questions)")
})
