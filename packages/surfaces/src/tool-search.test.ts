import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '@fleet/contract'
import { mcpTools } from './mcp.ts'
import { searchTools } from './tool-search.ts'

const tools = mcpTools(catalogue)
const find = (query: string) => {
  const { tools: found, matched } = searchTools(tools, query)
  return { names: found.map(({ name }) => name), matched }
}

test('a search finds tools by all its words and lists all for none [MCP-011]', () => {
  assert.deepEqual(searchTools(tools, '  '), { tools, matched: 'all' })
  assert.deepEqual(find('SETUP-step remove'), { names: ['project-setup-step-destroy'], matched: 'all' })
  assert.deepEqual(find('submarine'), { names: [], matched: 'none' })
  assert.deepEqual(find('synchron env').names, ['env-sync', 'env-update'])
})

test('a name finds its tool alone, however Fleet writes it', () => {
  for (const query of ['env-sync', 'env:sync', 'env_sync', 'fleet env:sync', '`fleet env:sync`'])
    assert.deepEqual(find(query), { names: ['env-sync'], matched: 'all' }, query)
  for (const { name } of tools) assert.deepEqual(find(name).names, [name])
})

test('plurals and the usual words of the field find what is called otherwise, the best first', () => {
  for (const [query, ...first] of [
    ['list databases', 'database-list'],
    ['list the databases', 'database-list'],
    ['set environment variable', 'env-update'],
    ['environment variables', 'env-import', 'env-sync', 'env-update'],
    ['cron job', 'schedule-activate'],
    ['tail logs', 'instance-logs', 'process-logs', 'schedule-logs'],
    ['databases', 'database-create', 'database-describe', 'database-destroy', 'database-list'],
    ['delete instance', 'instance-destroy'],
    ['show logs of an instance', 'instance-logs'],
    ['list nodes', 'node-list'],
  ] as const)
    assert.deepEqual(find(query).names.slice(0, first.length), first, query)
})

test('who may call a tool is not searched', () => {
  assert.deepEqual(find('grant').names, ['node-show', 'node-access-add', 'node-access-remove'])
  assert.ok(find('gateway').names.length < 10)
})

test('where no tool has all words, those with the most are found, and said to have some', () => {
  const { names, matched } = find('roll back submarine')
  assert.deepEqual([names[0], matched], ['instance-rollback', 'some'])
})
