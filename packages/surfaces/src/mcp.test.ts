import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, findOperation } from '@fleet/contract'
import { inputSchema } from './json-schema.ts'
import { mcpTools } from './mcp.ts'

const tools = mcpTools(catalogue)
const tool = (name: string) => tools.find((candidate) => candidate.name === name)

test('a tool is named like its operation, with hyphens [MCP-005]', () => {
  assert.ok(tool('node-list'))
  assert.ok(tool('project-setup-step-create'))
  for (const { name } of tools) assert.match(name, /^[a-z0-9-]{1,64}$/)
})

const membersOf = (name: string): readonly string[] => {
  const properties = tool(name)?.inputSchema['properties']
  assert.ok(typeof properties === 'object' && properties !== null)
  return Object.keys(properties)
}

test('a tool takes path, query and body members in one object [MCP-006]', () => {
  assert.deepEqual(membersOf('env-update'), ['instance', 'key', 'value'])
  assert.deepEqual(tool('env-update')?.inputSchema['required'], ['instance', 'key', 'value'])
  for (const { inputSchema } of tools) assert.equal(inputSchema['additionalProperties'], false)
})

test('the Instance of a tool is an id or a domain wherever its path takes both [ENV-006, DB-086]', () => {
  const instanceOf = (name: string): unknown => {
    const operation = findOperation(name)
    const member = operation && inputSchema(operation).properties?.['instance']
    return typeof member === 'object' ? member.anyOf : undefined
  }
  const either = [
    { type: 'integer', minimum: 1 },
    { type: 'string', minLength: 1, maxLength: 253 },
  ]
  for (const name of ['env:import', 'env:update', 'env:sync', 'instance:database:add', 'instance:show'])
    assert.deepEqual(instanceOf(name), either, name)
  assert.equal(instanceOf('instance:dependencies:scan'), undefined)
})

test('every pattern of a tool is one that the expressions of other languages can read', () => {
  const patterns = [...JSON.stringify(tools).matchAll(/"pattern":("(?:[^"\\\\]|\\\\.)*")/g)].map(([, text]) =>
    String(text),
  )
  assert.ok(patterns.length > 20)
  for (const pattern of patterns) assert.doesNotMatch(pattern, /\\p\{|\(\?[=!<]/i)
})

test('reads are marked read-only and removals destructive [MCP-007]', () => {
  for (const operation of catalogue) {
    const listed = tool(operation.name.replaceAll(':', '-'))
    assert.equal(listed === undefined, operation.tool === false, operation.name)
    if (!listed) continue
    const { annotations } = listed
    assert.equal(annotations.readOnlyHint, operation.method === 'GET' || operation.name === 'doctor:run')
    if (operation.method === 'DELETE') assert.equal(annotations.destructiveHint, true)
    if (operation.method === 'GET') assert.equal(annotations.destructiveHint, false)
  }
})

test('only what adds a record, or nothing, is said to destroy nothing; other changes have no such mark', () => {
  const marked = (mark: boolean | undefined): string[] =>
    tools
      .filter(({ annotations }) => !annotations.readOnlyHint && annotations.destructiveHint === mark)
      .map(({ name }) => name)
  for (const name of ['instance-create', 'database-create', 'schedule-create'])
    assert.ok(marked(false).includes(name), name)
  for (const name of marked(false)) assert.notEqual(findOperation(name.replaceAll('-', ':'))?.creates, false)
  for (const name of ['database-query', 'env-import', 'env-update', 'instance-rollback', 'process-stop'])
    assert.ok(marked(undefined).includes(name), name)
  assert.ok(marked(true).includes('instance-transfer'))
})

test('what is no tool: channel signatures, requests of agents, log streams, the wake page, the end of a Schedule, the pages of a source host and its trust [MCP-014]', () => {
  const streams = ['instance', 'process'].flatMap((owner) =>
    ['close', 'open', 'renew'].map((verb) => `${owner}:log-stream:${verb}`),
  )
  const pages = ['confirm', 'destroy', 'install', 'register'].map((verb) => `github:app:${verb}`)
  const names = [
    'broadcasting:authorize',
    'broadcasting:show',
    'agent:broadcasting:auth',
    'agent:log-stream:list',
    'agent:realtime',
    'agent:workspace:list',
    ...streams,
    'instance:wake',
    'schedule:complete',
    ...pages,
    'git-host:trust',
  ]
  assert.deepEqual(
    catalogue
      .filter(({ name }) => !tool(name.replaceAll(':', '-')))
      .map(({ name }) => name)
      .toSorted(),
    names.toSorted(),
  )
})

test('no tool says that closing its connection cancels the work, which runs to its end [MCP-010]', () => {
  for (const name of ['instance-deploy', 'instance-rollback']) {
    const properties = tool(name)?.inputSchema['properties']
    assert.ok(typeof properties === 'object' && properties !== null && 'detach' in properties)
    assert.deepEqual(properties.detach, {
      type: 'boolean',
      description: 'Without effect here: the work runs to its end, whatever becomes of the connection.',
    })
  }
  const schemas = tools.map((listed) => listed.inputSchema)
  assert.doesNotMatch(JSON.stringify(schemas), /connection cancels/)
})
