import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOperation, type Operation } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { parseInput, type RawInput } from './input.ts'

const named = (name: string): Operation => {
  const found = findOperation(name)
  assert.ok(found)
  return found
}
const parse = (name: string, raw: Partial<RawInput>): unknown =>
  parseInput(named(name), { path: {}, query: {}, members: {}, ...raw })
const refused = (name: string, raw: Partial<RawInput>): { code: string; errors: unknown } => {
  try {
    parse(name, raw)
  } catch (error) {
    if (error instanceof CodedError) return { code: error.code, errors: error.details?.['errors'] }
  }
  return assert.fail('nothing was refused')
}

test('query texts get the types of their schema [ACT-006]', () => {
  assert.deepEqual(parse('activity:list', { query: { limit: '5', before_id: '9', status: 'failed' } }), {
    limit: 5,
    before_id: 9,
    status: 'failed',
  })
  assert.deepEqual(parse('activity:list', {}), { limit: 25 })
})

test('a query value outside its bounds is refused under its name [ACT-006, GW-028]', () => {
  assert.deepEqual(Object.keys(refused('activity:list', { query: { limit: '201' } }).errors ?? {}), ['limit'])
  assert.equal(refused('activity:list', { query: { limit: 'x' } }).code, 'validation.failed')
  assert.deepEqual(refused('activity:list', { query: { limit: ['1', '2'] } }).errors, {
    limit: ['is given more than once'],
  })
})

test('an unknown member is refused by name, in body and query alike [GW-013, API-020]', () => {
  assert.deepEqual(refused('env:sync', { path: { instance: '1' }, members: { path: '/etc' } }).errors, {
    path: ['is not a member of this request'],
  })
  assert.deepEqual(refused('node:list', { query: { all: '1' } }).errors, {
    all: ['is not a member of this request'],
  })
})

test('a member that every object inherits is as unknown as any other, and brings none in [GW-013]', () => {
  const path = { node: '7' }
  const smuggled = JSON.parse('{"__proto__":{"name":"x"}}') as Record<string, unknown> // An object, as written.
  for (const members of [smuggled, { name: 'x', ...smuggled }])
    assert.ok('__proto__' in (refused('node:rename', { path, members }).errors as object)) // What invalid() made.
  for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf'])
    assert.deepEqual(refused('node:rename', { path, members: { name: 'x', [name]: 1 } }).errors, {
      [name]: ['is not a member of this request'],
    })
  assert.equal(refused('node:list', { query: JSON.parse('{"__proto__":"1"}') }).code, 'validation.failed')
})

test('the refusal of a value outside its bounds names the bound [GW-028]', () => {
  const errors = (name: string, raw: Partial<RawInput>): unknown => refused(name, raw).errors
  assert.deepEqual(errors('activity:list', { query: { limit: '201' } }), { limit: ['must be at most 200'] })
  assert.deepEqual(errors('activity:list', { query: { limit: '0' } }), { limit: ['must be at least 1'] })
  assert.deepEqual(errors('activity:list', { query: { command: 'x'.repeat(256) } }), {
    command: ['must have at most 255 characters'],
  })
  assert.deepEqual(errors('activity:list', { query: { status: 'done' } }), {
    status: ['must be one of running, succeeded, failed'],
  })
})

test('a wrong type is distinguished from a missing member [GW-028]', () => {
  const path = { node: '7' }
  assert.deepEqual(refused('node:rename', { path, members: {} }).errors, { name: ['is required'] })
  for (const name of [5, null, ['x'], { x: 1 }, true])
    assert.deepEqual(refused('node:rename', { path, members: { name } }).errors, {
      name: ['must be of type string'],
    })
  assert.deepEqual(refused('activity:list', { query: { limit: 'abc' } }).errors, {
    limit: ['must be of type integer'],
  })
})

test('types and formats are named as people do, and each once [GW-028]', () => {
  const errors = (name: string, raw: Partial<RawInput>): unknown => refused(name, raw).errors
  assert.deepEqual(errors('activity:list', { query: { request_id: 'x', before_id: '9007199254740993' } }), {
    request_id: ['must be a UUID'],
    before_id: ['must be at most 9007199254740991'],
  })
  const project = {
    slug: 'shop',
    type: 'node-package',
    repository_url: 'https://git.test/a/b.git',
    root: '.',
  }
  assert.deepEqual(errors('project:create', { members: { ...project, defaults: [] } }), {
    defaults: ['must be of type object'],
  })
  const node = { name: 'web-1', public_ssh_port: 2.5, lan_ip: '::1' }
  assert.deepEqual(errors('node:add', { members: node }), {
    public_ssh_port: ['must be of type integer'],
    lan_ip: ['must be an IPv4 address'],
  })
})

test('a NUL in a query is refused, since not every database takes one', () => {
  assert.deepEqual(refused('activity:list', { query: { command: 'a\0' } }).errors, {
    command: ['must not contain a NUL'],
  })
})

test('a path id of another shape names no record [GW-019]', () => {
  for (const node of ['abc', '0', '-1', '1.5', '99999999999999999999', ''])
    assert.equal(refused('node:show', { path: { node } }).code, 'node.not_found')
  assert.deepEqual(parse('node:show', { path: { node: '7' } }), { node: 7 })
  const role = { node: '7', role: 'baker' }
  for (const name of ['node:role:remove', 'node:role:relocate'] as const)
    assert.equal(refused(name, { path: role }).code, 'node_role.not_found')
  const step = { instance: '7', step: 'A step' }
  for (const name of ['instance:deploy-step:update', 'instance:deploy-step:destroy'] as const)
    assert.equal(refused(name, { path: step }).code, 'deploy_step.not_found')
})

test('a body value keeps its JSON type [GW-013]', () => {
  const members = { project_id: '1', node_id: 2, name: 'default' }
  assert.deepEqual(Object.keys(refused('instance:create', { members }).errors ?? {}), ['project_id'])
  assert.deepEqual(refused('env:update', { path: { instance: '1', key: 'A' }, members: {} }).errors, {
    value: ['is required'],
  })
})

test('a member of the path cannot stand in the body, nor a body member in the query', () => {
  assert.deepEqual(refused('env:sync', { path: { instance: '1' }, members: { instance: '2' } }).errors, {
    instance: ['belongs in the path'],
  })
  assert.deepEqual(
    refused('env:update', { path: { instance: '1', key: 'A' }, query: { value: 'x' }, members: {} }).code,
    'validation.failed',
  )
})

test('a flag of a removal comes from query or body, as boolean or text, but once [NODE-033]', () => {
  const path = { instance: '4' }
  for (const members of [{ force: true }, { force: 'true' }])
    assert.deepEqual(parse('instance:destroy', { path, members }), { instance: 4, force: true })
  assert.deepEqual(parse('instance:destroy', { path, query: { force: 'false' } }), {
    instance: 4,
    force: false,
  })
  assert.deepEqual(
    refused('instance:destroy', { path, query: { force: 'true' }, members: { force: true } }).errors,
    { force: ['is given more than once'] },
  )
  assert.equal(refused('instance:destroy', { path, query: { force: 'yes' } }).code, 'validation.failed')
})

test('no refusal repeats the value it refuses [ENV-002]', () => {
  const canary = 'c4n4ry-value'
  const { errors } = refused('instance:create', {
    members: { project_id: canary, node_id: [canary], name: `${canary}!` },
  })
  assert.ok(!JSON.stringify(errors).includes(canary))
})
