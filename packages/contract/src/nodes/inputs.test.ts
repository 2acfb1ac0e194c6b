import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeRename } from './rename.ts'
import { nodeSettingsUpdate } from './settings.ts'

test('a Node name has 1 to 63 letters, digits, hyphens or underscores [NODE-001]', () => {
  const takes = (name: string): boolean => nodeRename.input.safeParse({ node: 1, name }).success
  for (const name of ['a', 'Web-1_x', 'a'.repeat(63), '-', '7']) assert.ok(takes(name), name)
  for (const name of ['', 'a.b', 'a b', 'ä', 'a/b', 'a\n', 'a'.repeat(64)])
    assert.ok(!takes(name), JSON.stringify(name))
})

test('settings are required, and a wrong shape of them has a code of its own [NODE-111]', () => {
  for (const settings of [null, 7, [], {}, { apps: { path: 1 } }]) {
    assert.ok(nodeSettingsUpdate.input.safeParse({ node: 1, settings }).success, JSON.stringify(settings))
  }
  assert.ok(!nodeSettingsUpdate.input.safeParse({ node: 1 }).success)
})
