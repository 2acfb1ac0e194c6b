import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Word } from '@fleet/shell'
import { localPool } from '@fleet/testing'
import { inspection, readInspection } from '#/doctor/inspection.ts'
import { type PrintedAnswer, type Question, readPrinted } from '#/nodes/api.ts'

const target = { nodeId: 1, host: '127.0.0.1', port: 22, user: 'root', fingerprint: '' }
const question = (source: string, ...args: Word[]): Question<PrintedAnswer> => ({
  source,
  args,
  read: (answer) => answer,
})

async function ask(
  ...questions: readonly Question<unknown>[]
): Promise<readonly PrintedAnswer[] | undefined> {
  const { stdout } = await localPool({ home: '/' }).run(target, inspection(questions), {
    timeoutMilliseconds: 20_000,
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
  assert.ok(printed)
  const peers = readPrinted(printed, (answer) => [answer.flag('up'), answer.text('peers')])
  assert.deepEqual(peers, [true, ''])
  assert.deepEqual(await ask(question('printf "\\n\\n\\n"; exit 4')), [{ exitCode: 4, text: '\n\n' }])
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
