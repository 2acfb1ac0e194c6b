import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '@fleet/contract'
import type { CliField } from '@fleet/surfaces'
import { readWithAssignments } from '#/args/assignments.ts'
import { parseLine } from '#/args/parse.ts'
import { readMembers, requireMembers } from '#/args/values.ts'
import { assignments } from '#/hints.ts'
import { allCommands } from '#/commands.ts'
import { targetSet } from '#/routes/target-set.ts'
import { plain } from '#/terminal.ts'
import { readTree } from '#/tree.ts'
import { commandHelp } from './help-command.ts'

const tree = readTree()
const commands = allCommands(tree)

const isSame = (name: string): boolean => commands.find(name)?.summary === tree.commands[name]?.summary

/** The words of a line as a shell reads them; the lines of the help use no more of its grammar. */
const shellWords = (line: string): readonly string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  )

function exampleOf(name: string): { readonly words: readonly string[]; readonly piped: boolean } {
  const command = commands.find(name)
  assert.ok(command)
  const [, pipe, line = ''] =
    /\nExample\n {2}(printf %s "\$VALUE" \| )?fleet (.*)\n/.exec(
      `${commandHelp(command, commands, 80, plain)}\n`,
    ) ?? []
  const [first, ...words] = shellWords(line)
  assert.equal(first, name)
  return { words, piped: pipe !== undefined }
}

const FINGERPRINT = `SHA256:${'A'.repeat(43)}`

/** What the client sends once it has looked the names up, and has read the secret from its standard input. */
function sent(
  given: Readonly<Record<string, unknown>>,
  fields: readonly CliField[],
  piped: boolean,
): Readonly<Record<string, unknown>> {
  const looked = fields.flatMap(({ member, refers, refersBy, type, secret }) => {
    const value = given[member]
    if ((refers ?? refersBy) !== undefined && type === 'integer' && typeof value === 'string')
      return [[member, 7]]
    if (secret && piped && value === undefined) return [[member, 'a secret text']]
    if (value === '$FINGERPRINT') return [[member, FINGERPRINT]]
    return []
  })
  return { ...given, ...Object.fromEntries(looked) }
}

// `gateway:trust` of the client is another command than the operation.
for (const operation of catalogue.filter(({ name }) => tree.commands[name] && isSame(name)))
  test(`the example in the help of ${operation.name} is understood by the command line and taken by the gateway`, async () => {
    const spec =
      operation.name === 'route:target:set' ? commands.find(operation.name) : tree.commands[operation.name]
    assert.ok(spec)
    const { words, piped } = exampleOf(operation.name)
    const fields = [...spec.arguments, ...spec.options]
    const line = parseLine(words, fields)
    const read = assignments[operation.name] ? readWithAssignments(line, spec) : readMembers(line, spec)
    const members =
      operation.name === 'route:target:set'
        ? await targetSet.compose(read, async (_family, names) => names.map((_name, at) => at + 7))
        : read
    const unnamed = fields.filter(({ type, member }) => type === 'string' && Object(members)[member] === '1')
    assert.deepEqual(unnamed, [], 'a text of its own says what belongs there')
    const complete = sent(Object(members), fields, piped)
    requireMembers(complete, spec)
    const { success, error } = operation.input.safeParse(complete)
    assert.ok(success, `${words.join(' ')}: ${error?.message}`)
  })

test('the example of a command that changes a record names what it changes', () => {
  const changes = catalogue.filter(
    ({ name }) => tree.commands[name]?.method === 'PATCH' || name === 'instance:rename',
  )
  assert.ok(changes.length >= 9)
  const empty = changes.filter(({ name }) => {
    const named = tree.commands[name]?.arguments.filter(({ place }) => place === 'path') ?? []
    return exampleOf(name).words.length <= named.length
  })
  assert.deepEqual(empty, [])
})

test('the example of a Route says what it leads to, and that of a relocation names a role that can move', () => {
  assert.deepEqual(exampleOf('route:create').words, ['demo.test', '--instance', 'demo/default'])
  assert.deepEqual(exampleOf('node:role:relocate').words, ['node-1', 'websocket'])
})
