import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removed } from './removed.ts'
import type { Paper } from './view.ts'

const plain = (text: string): string => text

const paper = { colors: new Proxy({}, { get: () => plain }), messageOf: plain } as unknown as Paper // Removals read its colors alone.

test('what stays of databases and their servers is called by its kind', async () => {
  const stays = async (kept: Readonly<Record<string, string>>): Promise<string> => {
    const retained_on_nodes = [{ node_id: 3, node: 'web-1', ...kept }]
    const lines = await removed('Database').lines({ id: 4, slug: 'main', retained_on_nodes }, {}, paper)
    return lines.join('\n')
  }
  assert.match(await stays({ database: 'shop' }), / {2}the database shop$/)
  assert.match(await stays({ container: 'main-4' }), / {2}the container main-4, and its volume$/)
})
