import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTerminal } from '#/fake-terminal.ts'
import { readTree } from '#/tree.ts'
import { fillSecrets } from './secret.ts'

const fields = readTree().commands['env:update']?.arguments.slice(2) ?? []
const filled = async (members: Record<string, unknown>, terminal: FakeTerminal): Promise<unknown> => {
  await fillSecrets(members, fields, terminal)
  return members['value']
}

test('the value of a variable is a secret member', () => {
  assert.deepEqual(
    fields.map(({ name, secret }) => [name, secret]),
    [['value', true]],
  )
})

test('a secret is asked for without echo on a terminal', async () => {
  const terminal = new FakeTerminal({ isTerminal: true, typed: ['s3cret'] })
  assert.equal(await filled({}, terminal), 's3cret')
  assert.deepEqual(terminal.questions, ['secret value: '])
  assert.equal(terminal.outText + terminal.errText, '')
})

test('a dash on a terminal asks without echo too', async () => {
  const terminal = new FakeTerminal({ isTerminal: true, typed: ['s3cret'], input: 'echoed\n' })
  assert.equal(await filled({ value: '-' }, terminal), 's3cret')
  assert.deepEqual(terminal.questions, ['secret value: '])
})

test('a secret comes from a pipe, without the last line end and with all others', async () => {
  assert.equal(await filled({}, new FakeTerminal({ input: 'a\nb\n\n' })), 'a\nb\n')
  assert.equal(await filled({ value: '-' }, new FakeTerminal({ input: 'x\r\n' })), 'x')
  assert.equal(await filled({ value: '-' }, new FakeTerminal({ input: '' })), '')
})

test('an empty pipe is refused, since it is more often a mistake than a value', async () => {
  await assert.rejects(filled({}, new FakeTerminal({ input: '\n' })), /Standard input is empty/)
})

test('a value on the command line is accepted, with a warning about where it stays', async () => {
  const terminal = new FakeTerminal({ isTerminal: true })
  assert.equal(await filled({ value: 'plain' }, terminal), 'plain')
  assert.match(terminal.errText, /history of your shell/)
  assert.ok(!terminal.errText.includes('plain'))
})

const options = readTree().commands['database:create']?.options ?? []
const password = async (members: Record<string, unknown>, terminal: FakeTerminal): Promise<unknown> => {
  await fillSecrets(members, options, terminal)
  return members['password']
}

test('a secret option is asked for when it is named, and cleared without a question', async () => {
  assert.equal(
    await password({ password: true }, new FakeTerminal({ isTerminal: true, typed: ['s3'] })),
    's3',
  )
  assert.equal(await password({ password: true }, new FakeTerminal({ input: 's3\n' })), 's3')
  assert.equal(await password({ password: null }, new FakeTerminal({ isTerminal: true })), null)
  assert.equal(await password({}, new FakeTerminal({ isTerminal: true })), undefined)
  await assert.rejects(
    password({ password: true }, new FakeTerminal({ input: '' })),
    /Standard input is empty\. Pipe the password in, or run the command on a terminal, which asks for it\./,
  )
})
