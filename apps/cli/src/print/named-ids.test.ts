import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameRecord, nameRows } from './named-ids.ts'

const lists: Readonly<Record<string, unknown>> = {
  'node:list': [
    { id: 1, name: 'gateway' },
    { id: 3, name: 'web-1' },
  ],
  'cluster:list': [{ id: 4, name: 'berlin' }],
  'instance:list': [{ id: 7, name: 'default', project: { slug: 'shop' } }],
}

function reader(): { readonly asked: string[]; read(name: string): Promise<unknown> } {
  const asked: string[] = []
  return {
    asked,
    read(name) {
      asked.push(name)
      return name in lists ? Promise.resolve(lists[name]) : Promise.reject(new Error('refused'))
    },
  }
}

test('rows have names in the place of the ids that are shown, each list asked for once', async () => {
  const { asked, read } = reader()
  const rows = [
    { id: 1, caller_node_id: 1, target_node_id: 3, instance_id: 7 },
    { id: 2, caller_node_id: null, target_node_id: 9, instance_id: 7 },
  ]
  assert.deepEqual(await nameRows(rows, ['id', 'caller_node_id', 'target_node_id'], read), [
    { id: 1, caller_node_id: 'gateway', target_node_id: 'web-1', instance_id: 7 },
    { id: 2, caller_node_id: null, target_node_id: 9, instance_id: 7 },
  ])
  assert.deepEqual(asked, ['node:list'])
})

test('a record keeps the id beside the name, also where another member says whose it is', async () => {
  const { read } = reader()
  const record = {
    cluster_id: 4,
    node_ids: [1, 9],
    target_type: 'instance',
    target_id: 7,
    subject_type: 'tool',
    subject_id: 3,
    request_id: 'text',
    // Its list is refused.
    project_id: 5,
  }
  assert.deepEqual(await nameRecord(record, read), {
    ...record,
    cluster_id: 'berlin (4)',
    node_ids: ['gateway (1)', 9],
    target_id: 'shop/default (7)',
  })
})
