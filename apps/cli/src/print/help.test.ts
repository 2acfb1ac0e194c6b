import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { allCommands } from '#/commands.ts'
import { makePerson } from '#/run-harness.ts'
import { plain } from '#/terminal.ts'
import { readTree } from '#/tree.ts'
import { overview } from './help.ts'
import { commandHelp, usageLine } from './help-command.ts'

const commands = allCommands(readTree())
const golden = (name: string): string =>
  readFileSync(new URL(`../golden/${name}.txt`, import.meta.url), 'utf8')
const helpOf = (name: string, columns = 80): string => {
  const command = commands.find(name)
  assert.ok(command)
  return commandHelp(command, commands, columns, plain)
}

for (const name of ['env:update', 'node:settings', 'activity:list', 'gateway:add', 'route:target:set']) {
  test(`the help of ${name} reads as agreed`, () => {
    assert.equal(helpOf(name), golden(name.replaceAll(':', '-')))
  })
}

test('the help of an enrolment says how the gateway gets in and where the fingerprint is read', () => {
  const text = helpOf('node:add', 200).replaceAll(/\s+/g, ' ')
  assert.match(text, /the line that fleet gateway:ssh-key prints to ~\/\.ssh\/authorized_keys/)
  assert.match(text, /ssh-keyscan -t ed25519 HOST \| ssh-keygen -lf -/)
  assert.match(
    text,
    / fleet node:add web-1 203\.0\.113\.7 --host-key-fingerprint "\$FINGERPRINT" --roles database /,
  )
})

test('help speaks of arguments and options, as they are typed, and not of members of the request', () => {
  const textOf = (name: string): string => helpOf(name).replaceAll(/\s+/g, ' ')
  const text = textOf('route:create')
  assert.match(text, /A Route to an Instance needs --instance alone: its own one, or with --web-root one of/)
  assert.match(text, /A Process of the Node, instead of --upstream\./)
  assert.match(
    text,
    /a grant on the Node in --node, or on the Node of the Instance in --instance\s+and on every Node of its active Cluster\./,
  )
  assert.match(textOf('tool:install'), /with --version-constraint only if/)
  assert.match(textOf('tool:install'), /a grant on the Node in NODE\./)
  // What an answer has stays as it is named there.
  assert.match(textOf('schedule:run'), /and `last_run_status` its result/)
})

test('every command has help that fits the terminal and an example with every required word', () => {
  for (const name of commands.names) {
    const text = helpOf(name)
    const long = text
      .split('\n')
      .find(
        (line) =>
          line.length > 80 &&
          !line.startsWith('  fleet') &&
          !line.startsWith('Usage') &&
          !line.startsWith('  printf'),
      )
    assert.equal(long, undefined, name)
    assert.match(text, /\nExample\n {2}(?:printf %s "\$VALUE" \| )?fleet /)
  }
})

test('nothing that help prints is wider than the terminal, down to 40 columns, but a command and a long word', async () => {
  using person = makePerson()
  const topics = ['', ...commands.names, ...commands.families.map(({ name }) => name)]
  for (const columns of [40, 57, 80, 200])
    for (const topic of topics) {
      const { out } = await person.type(['help', topic].filter(Boolean), { isTerminal: true, columns })
      const long = out
        .split('\n')
        .find((line) => line.length > columns && /\S \S/.test(line) && !/^ {2}(fleet|printf) /.test(line))
      assert.equal(long, undefined, `${columns} columns: fleet help ${topic}`)
    }
})

test('the overview names every command and every exit status', () => {
  const text = overview(commands, 100, plain)
  for (const name of commands.names) assert.ok(text.includes(`  ${name} `), name)
  for (const status of ['0', '1', '2', '3', '130']) assert.match(text, new RegExp(`\\n  ${status} +\\S`))
})

test('the usage line shows what must be given', () => {
  const usage = (name: string): string => {
    const command = commands.find(name)
    assert.ok(command)
    return usageLine(command)
  }
  assert.equal(usage('node:list'), 'fleet node:list')
  assert.equal(usage('node:settings'), 'fleet node:settings NODE KEY=VALUE…')
  assert.equal(
    usage('project:create'),
    'fleet project:create SLUG REPOSITORY-URL --type WORD --root TEXT [option…]',
  )
  assert.equal(usage('gateway:trust'), 'fleet gateway:trust [NAME] [option…]')
})
