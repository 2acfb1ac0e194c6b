import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { catalogue, isCommand } from '@fleet/contract'
import { routeOf as routeOfOperation } from '@fleet/sdk'
import { generatedFiles } from '@fleet/surfaces'
import { allCommands, requireCommand } from './commands.ts'
import { isChange, routeOf } from './route.ts'
import { readTree } from './tree.ts'

const tree = readTree()
const commands = allCommands(tree)

test('the index is what the catalogue projects: npm run generate', () => {
  const path = 'apps/cli/src/commands.json'
  assert.equal(readFileSync(new URL('commands.json', import.meta.url), 'utf8'), generatedFiles()[path])
})

test('every operation but the callbacks of machines is a command, sent as the SDK sends it', () => {
  const operations = catalogue.filter(isCommand)
  assert.deepEqual(
    Object.keys(tree.commands),
    operations.map(({ name }) => name),
  )
  for (const operation of operations) {
    const command = tree.commands[operation.name]
    assert.ok(command)
    assert.deepEqual({ ...routeOf(command).members }, { ...routeOfOperation(operation).members })
    const { name, method, path, kind } = routeOfOperation(operation)
    assert.deepEqual(
      { name, method, path, kind },
      { name: command.name, method: command.method, path: command.path, kind: command.kind },
    )
  }
})

test('a request without the member that makes it a change is a read, and so is one that ends with its command', () => {
  const changes = (name: string, members = {}): boolean => {
    const operation = tree.commands[name]
    assert.ok(operation, name)
    return isChange(operation, members)
  }
  assert.equal(changes('node:list'), false)
  assert.equal(changes('node:remove'), true)
  assert.deepEqual(
    [{}, { write: false }, { write: true }].map((members) => changes('database:query', members)),
    [false, false, true],
  )
  const passing = [
    'broadcasting:authorize',
    'doctor:run',
    'instance:log-stream:open',
    'process:log-stream:close',
  ]
  for (const name of passing) {
    assert.notEqual(tree.commands[name]?.method, 'GET')
    assert.equal(changes(name), false, name)
  }
})

test('no command of an operation has two members under one word', () => {
  for (const { name, arguments: args, options } of Object.values(tree.commands)) {
    const words = [...args, ...options].map((field) => field.name)
    assert.equal(new Set(words).size, words.length, name)
  }
})

test('commands of this client stand among the families', () => {
  const gateway = commands.families.find(({ name }) => name === 'gateway')
  assert.deepEqual(gateway?.commands, [
    'gateway:add',
    'gateway:list',
    'gateway:remove',
    'gateway:ssh-key',
    'gateway:status',
    'gateway:trust',
    'gateway:use',
  ])
})

test('a family with nothing but one thing to run is called by its own name too', () => {
  assert.equal(requireCommand(commands, 'doctor').name, 'doctor:run')
  for (const name of ['node', 'schedule'])
    assert.throws(() => requireCommand(commands, name), new RegExp(`Unknown command: ${name}\\.`))
})

test('a mistyped command is answered with its neighbour', () => {
  const next = (name: string): unknown => {
    try {
      return requireCommand(commands, name)
    } catch (error) {
      return error instanceof Error && 'next' in error ? error.next : error
    }
  }
  assert.equal(next('nod:list'), 'Did you mean node:list?')
  assert.equal(next('env:snyc'), 'Did you mean env:sync?')
  assert.equal(next('node:frobnicate'), 'fleet help node shows the commands of this family.')
  assert.equal(next('frobnicate'), 'fleet help shows all commands.')
})
