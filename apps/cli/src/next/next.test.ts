import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorRegistry, isErrorCode } from '@fleet/contract'
import { parseLine } from '#/args/parse.ts'
import { readMembers, requireMembers } from '#/args/values.ts'
import { readTree } from '#/tree.ts'
import { nextByCapability, nextByGitReason, nextByReason, nextSteps, nextStepsOf } from './index.ts'
import { filledIn, typedWords } from './typed.ts'

const { commands } = readTree()

/** Commands of this client that are no operations. */
const OWN: ReadonlySet<string> = new Set(['instance:open', 'gateway:upload', 'gateway:add'])

/** What people are asked to type. */
const texts: readonly string[] = [
  ...Object.values(nextSteps),
  ...Object.values(nextByReason),
  ...Object.values(nextByCapability),
  ...Object.values(nextByGitReason),
  ...Object.values(nextStepsOf).flatMap((row) => Object.values(row)),
]

test('every refusal that help does not resolve has a next step', () => {
  const missing = Object.entries(errorRegistry).filter(
    ([code, { status, message, retry }]) =>
      (retry === 'none' || retry === 'change') &&
      status !== 422 &&
      !/`?fleet [a-z]+[:-]/.test(message) &&
      !(isErrorCode(code) && nextSteps[code]),
  )
  assert.deepEqual(
    missing.map(([code]) => code),
    [],
  )
})

/** A command inside a sentence: its name and the words behind it, as far as the sentence goes. */
function namedCommands(text: string): readonly (readonly [name: string, words: readonly string[]])[] {
  return [
    ...text.matchAll(
      /\bfleet ((?:help )?[a-z-]+(?::[a-z-]+)+)([^.,:;)`]*(?:[.:=/][^\s.,:;)`]+[^.,:;)`]*)*)/g,
    ),
  ].map(([, name = '', rest = '']) => [name, rest.split(' ').filter((word) => word !== '')])
}

/** A word of those that a placeholder with choices takes. */
const CHOSEN: Readonly<Record<string, string>> = { ROLE: 'database', MANAGER: 'apt' }

/** Whether some of the words are a complete command line. */
function isComplete(command: (typeof commands)[string], words: readonly string[]): boolean {
  return [0, 1, 2, 3, 4, 5].some((count) => {
    try {
      const given = words.slice(0, count).map((word) => CHOSEN[word] ?? word)
      const line = parseLine(given, [...command.arguments, ...command.options])
      const plain = command.arguments.filter(({ secret }) => !secret)
      requireMembers(readMembers(line, command), { arguments: plain, options: command.options })
      return true
    } catch {
      return false
    }
  })
}

test('every command that a message names exists', () => {
  const named = Object.values(errorRegistry).flatMap(({ message }) => namedCommands(message))
  assert.ok(named.length > 30)
  const unknown = named.filter(
    ([name]) => !OWN.has(name) && !Object.hasOwn(commands, name.replace('help ', '')),
  )
  assert.deepEqual(unknown, [])
})

test('every command that a next step names exists and is complete', () => {
  const wrong = texts.flatMap((text) =>
    namedCommands(text).flatMap(([name, words]) => {
      const command = commands[name.replace('help ', '')]
      if (command === undefined) return OWN.has(name) ? [] : [`no command ${name}: ${text}`]
      const isMention = name.startsWith('help ') || /^(?:again|with|finishes)$/.test(words[0] ?? '')
      return isMention || isComplete(command, words) ? [] : [`incomplete ${name}: ${text}`]
    }),
  )
  assert.deepEqual(wrong, [])
})

test('a converge that is to repair something has --force: without it only what has changed is looked at', () => {
  const said = [...texts, ...Object.values(errorRegistry).map(({ message }) => message)]
  const converges = said.flatMap((text) =>
    namedCommands(text).flatMap(([name, words]) => (name === 'node:converge' ? [words.join(' ')] : [])),
  )
  assert.ok(converges.length > 10)
  assert.deepEqual(
    converges.filter((words) => !words.includes('--force')),
    [],
  )
})

test('a next step has what was typed in the place of its placeholders, quoted for a shell', () => {
  const command = commands['instance:create'] ?? assert.fail()
  const line = parseLine(
    ['shop', "it's", 'next', '--domain', 'a.test'],
    [...command.arguments, ...command.options],
  )
  const typed = typedWords(line, command)
  assert.equal(
    filledIn('fleet node:role:add NODE app-dev, of PROJECT and INSTANCE; FLEET_NODE=NODE', typed),
    String.raw`fleet node:role:add 'it'\''s' app-dev, of shop and INSTANCE; FLEET_NODE=NODE`,
  )
})

test('no secret is ever a part of a next step', () => {
  const command = commands['env:update'] ?? assert.fail()
  const line = parseLine(['shop/default', 'APP_KEY', 'hidden'], [...command.arguments, ...command.options])
  assert.deepEqual(typedWords(line, command), { INSTANCE: 'shop/default', KEY: 'APP_KEY' })
})
