import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removed } from './removed.ts'
import type { Paper } from './view.ts'

const plain = (text: string): string => text

const paper = { colors: new Proxy({}, { get: () => plain }), messageOf: plain } as unknown as Paper // Removals read its colors alone.

test('what stays of databases and their servers is called by its kind', () => {
  const stays = (kept: Readonly<Record<string, string>>): string => {
    const retained_on_nodes = [{ node_id: 3, node: 'web-1', ...kept }]
    return removed('Database').lines({ id: 4, slug: 'main', retained_on_nodes }, {}, paper).join('\n')
  }
  assert.match(stays({ database: 'shop' }), / {2}the database shop$/)
  assert.match(stays({ container: 'main-4' }), / {2}the container main-4, and its volume$/)
})
