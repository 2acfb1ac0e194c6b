import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, errorRegistry } from '@fleet/contract'
import { cliField } from './field.ts'
import { cliTree } from './tree.ts'

const tree = cliTree(catalogue, errorRegistry)
const words = (name: string): { arguments: readonly string[]; options: readonly string[] } => {
  const command = tree.commands[name]
  return {
    arguments: command?.arguments.map((field) => field.name) ?? [],
    options: command?.options.map((field) => field.name) ?? [],
  }
}

test('every operation is a command of one family', () => {
  const listed = tree.families.flatMap(({ commands }) => commands)
  assert.deepEqual(
    listed.toSorted(),
    catalogue.map(({ name }) => name),
  )
  for (const { name, commands } of tree.families)
    for (const command of commands) assert.ok(command.startsWith(`${name}:`))
})

test('arguments are the path parameters, then those that the operation names', () => {
  assert.deepEqual(words('env:update'), { arguments: ['instance', 'key', 'value'], options: [] })
  assert.deepEqual(words('node:access:add'), { arguments: ['serving', 'consumer'], options: [] })
  assert.deepEqual(words('instance:create').arguments, ['project', 'node', 'name'])
})

test('a member that names a record says of which family', () => {
  const refers = (name: string, member: string): string | undefined =>
    [...(tree.commands[name]?.arguments ?? []), ...(tree.commands[name]?.options ?? [])].find(
      (field) => field.member === member,
    )?.refers
  assert.equal(refers('node:access:add', 'consumer'), 'node')
  assert.equal(refers('instance:create', 'project_id'), 'project')
  assert.equal(refers('activity:list', 'caller_node_id'), 'node')
  assert.equal(refers('activity:list', 'before_id'), undefined)
  assert.equal(refers('project:setup-step:update', 'step'), undefined)
})

test('a member whose record may be of several families names the member that says which', () => {
  for (const name of ['process:create', 'schedule:create'])
    assert.deepEqual(
      tree.commands[name]?.arguments.map(({ member, refersBy }) => [member, refersBy]).slice(0, 2),
      [
        ['target_type', undefined],
        ['target_id', 'target_type'],
      ],
    )
  const others = Object.values(tree.commands).filter(({ arguments: words, options }) =>
    [...words, ...options].some(({ refersBy }) => refersBy !== undefined),
  )
  assert.deepEqual(
    others.map(({ name }) => name),
    ['process:create', 'process:list', 'schedule:create'],
  )
})

test('the help of a command knows every registered code and its advice', () => {
  for (const { errors } of Object.values(tree.commands))
    for (const code of errors) assert.ok(tree.errors[code], code)
  assert.equal(tree.errors['env.operation_busy']?.retry, 'wait')
})

test('a schema reads as a type with bounds, choices and default', () => {
  const facts = {
    member: 'm',
    place: 'body',
    required: true,
    refers: undefined,
    refersBy: undefined,
  } as const
  const field = (schema: Parameters<typeof cliField>[1]) => cliField(facts, schema)
  assert.equal(field({ type: 'integer', minimum: 1, maximum: 200 }).limits, '1 to 200')
  assert.equal(field({ type: 'integer', minimum: 1 }).limits, undefined)
  assert.equal(field({ type: 'string', minLength: 1, maxLength: 63 }).limits, 'at most 63 characters')
  assert.deepEqual(field({ type: 'string', enum: ['a', 'b'] }).choices, ['a', 'b'])
  assert.equal(field({ default: 25, type: 'integer' }).required, false)
  assert.equal(field({ anyOf: [{ type: 'string' }, { type: 'null' }] }).nullable, true)
  assert.equal(
    field({ anyOf: [{ type: 'boolean' }, { type: 'string', enum: ['true', 'false'] }] }).type,
    'boolean',
  )
  assert.equal(field({ type: 'array', items: { type: 'string' } }).type, 'strings')
  assert.deepEqual(field({ type: 'array', items: { type: 'string', enum: ['a', 'b'] } }).choices, ['a', 'b'])
  assert.equal(
    field({
      anyOf: [
        { type: 'string', format: 'ipv4' },
        { type: 'string', format: 'ipv6' },
      ],
    }).type,
    'string',
  )
  assert.equal(field({ type: 'object' }).type, 'json')
  const properties = {
    name: { type: 'string' },
    ports: { type: 'array', items: { type: 'string' } },
  } as const
  assert.deepEqual(field({ type: 'object', properties }).members, { name: 'string', ports: 'strings' })
  assert.deepEqual(field({}).members, {})
  assert.equal(field({ type: 'array', items: { type: 'object', properties } }).members, undefined)
  assert.equal(field({}).type, 'json')
  assert.equal(field({ type: 'string', writeOnly: true }).secret, true)
})
