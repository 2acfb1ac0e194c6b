import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removed } from './removed.ts'
import type { Paper } from './view.ts'

const plain = (text: string): string => text

const paper = { colors: new Proxy({}, { get: () => plain }), messageOf: plain } as unknown as Paper // Removals read its colors alone.

test('Instances that went with a forced removal are named', async () => {
  const removed_instances = [
    { id: 5, name: 'one' },
    { id: 6, name: 'two' },
  ]
  const data = { id: 4, name: 'default', retained_on_nodes: [], removed_instances }
  const lines = await removed('Instance').lines(data, {}, paper)
  assert.deepEqual(lines, [
    'Instance default (4) is removed.',
    'With it, as linked worktrees of its checkout: one (5), two (6).',
  ])
})

test('databases that went with an Instance are named', async () => {
  const removed_databases = [
    { slug: 'shop', database: 'shop_live', path: null },
    { slug: 'notes', database: null, path: '/home/fleet/shop/notes.sqlite' },
  ]
  const data = { id: 4, name: 'live', retained_on_nodes: [], removed_instances: [], removed_databases }
  assert.deepEqual(await removed('Instance').lines(data, {}, paper), [
    'Instance live (4) is removed.',
    'With it, with all their data, these databases: shop (shop_live), notes (/home/fleet/shop/notes.sqlite).',
  ])
})

test('databases that were dropped with a record are named', async () => {
  const data = {
    id: 4,
    slug: 'shop',
    retained_on_nodes: [],
    dropped_databases: ['shop', 'shop_testimonials'],
  }
  assert.deepEqual(await removed('Database connection').lines(data, {}, paper), [
    'Database connection shop (4) is removed.',
    'Dropped on the server, with all their data: shop, shop_testimonials.',
  ])
})

test('definitions and the deploy key that went with a Project are named', async () => {
  const removed_definitions = [{ kind: 'process', name: 'queue' }]
  const data = { id: 2, slug: 'shop', removed_definitions, removed_deploy_key: 'SHA256:abc' }
  assert.deepEqual(await removed('Project').lines(data, {}, paper), [
    'Project shop (2) is removed.',
    'With it, these definitions: process queue.',
    'With it, the deploy key SHA256:abc: delete it at the Git host too.',
  ])
})

test('what stays of databases and their servers is called by its kind', async () => {
  const stays = async (kept: Readonly<Record<string, string>>): Promise<string> => {
    const retained_on_nodes = [{ node_id: 3, node: 'web-1', ...kept }]
    const lines = await removed('Database').lines({ id: 4, slug: 'main', retained_on_nodes }, {}, paper)
    return lines.join('\n')
  }
  assert.match(await stays({ database: 'shop' }), / {2}the database shop$/)
  assert.match(await stays({ container: 'main-4' }), / {2}the container main-4, and its volume$/)
})
