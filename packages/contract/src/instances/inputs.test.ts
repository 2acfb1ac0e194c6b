import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as z from 'zod'
import { instanceOperations } from './index.ts'

const takes = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success

test('a creation names a Project, a Node and a lowercase DNS label [INS-002, INS-041]', () => {
  const { input } = instanceOperations.instanceCreate
  const given = { project_id: 1, node_id: 2, name: 'feature-1' }
  assert.equal(takes(input, given), true)
  for (const key of Object.keys(given)) assert.equal(takes(input, { ...given, [key]: undefined }), false)
  for (const name of ['A', 'a_b', '-a', 'a-', '', 'a.b', 'a'.repeat(64)]) {
    assert.equal(takes(input, { ...given, name }), false, name)
  }
  assert.equal(takes(input, { ...given, name: 'a'.repeat(63) }), true)
  assert.equal(takes(input, { ...given, project_id: '1' }), false)
})

test('optional members of a creation are bounded, and no other is taken [INS-042]', () => {
  const { input } = instanceOperations.instanceCreate
  const given = { project_id: 1, node_id: 2, name: 'feature' }
  for (const [key, max] of [
    ['root', 255],
    ['domain', 253],
    ['branch', 255],
  ] as const) {
    assert.equal(takes(input, { ...given, [key]: 'a'.repeat(max) }), true, key)
    assert.equal(takes(input, { ...given, [key]: 'a'.repeat(max + 1) }), false, key)
    assert.equal(takes(input, { ...given, [key]: '' }), false, key)
  }
  assert.equal(takes(input, { ...given, anything: 1 }), false)
})

test('a registration takes the directory, and neither a Node nor what an older form made a Project of [INS-074, INS-075, INS-082]', () => {
  const { input } = instanceOperations.instanceRegister
  const given = { source_path: '/srv/app' }
  assert.equal(takes(input, given), true)
  assert.equal(takes(input, {}), false)
  for (const [key, max] of [
    ['source_path', 4096],
    ['instance_name', 63],
    ['root', 255],
    ['domain', 253],
  ] as const) {
    assert.equal(takes(input, { ...given, [key]: 'a'.repeat(max) }), true, key)
    assert.equal(takes(input, { ...given, [key]: 'a'.repeat(max + 1) }), false, key)
    assert.equal(takes(input, { ...given, [key]: '' }), false, key)
  }
  assert.equal(takes(input, { ...given, project_id: 1, setup: true }), true)
  assert.equal(takes(input, { ...given, project_id: '1' }), false)
  assert.equal(takes(input, { ...given, setup: 'yes' }), false)
  for (const key of ['node_id', 'app_name', 'app_slug', 'default_branch'])
    assert.equal(takes(input, { ...given, [key]: 'x' }), false, key)
})

test('a directory has at most 4,096 characters and is required', () => {
  const { instanceResolveDirectory } = instanceOperations
  assert.equal(takes(instanceResolveDirectory.input, { directory: 'a'.repeat(4096) }), true)
  assert.equal(takes(instanceResolveDirectory.input, { directory: 'a'.repeat(4097) }), false)
  assert.equal(takes(instanceResolveDirectory.input, {}), false)
})

test('a removal takes force as a flag [INS-028]', () => {
  const { input } = instanceOperations.instanceDestroy
  for (const force of [true, false, 'true', 'false', undefined])
    assert.equal(takes(input, { instance: 1, force }), true)
  assert.equal(takes(input, { instance: 1, force: 'yes' }), false)
})

test('a clone takes a Node, a name, the name of its preview, a branch and the absolute path of a database [INS-102]', () => {
  const { input } = instanceOperations.instanceClone
  const given = { candidate: 1, node_id: 2, name: 'live', preview_name: 'preview' }
  assert.equal(takes(input, given), true)
  for (const key of Object.keys(given)) assert.equal(takes(input, { ...given, [key]: undefined }), false, key)
  for (const [key, max] of [
    ['name', 63],
    ['preview_name', 253],
    ['branch', 255],
  ] as const) {
    assert.equal(takes(input, { ...given, [key]: 'a'.repeat(max) }), true, key)
    assert.equal(takes(input, { ...given, [key]: 'a'.repeat(max + 1) }), false, key)
    assert.equal(takes(input, { ...given, [key]: '' }), false, key)
  }
  for (const [preview_name, isTaken] of [
    ['a.b-c.9', true],
    ['Next', true],
    ['a b', false],
    ['a..b', false],
    ['.a', false],
    ['a.', false],
    ['-a', false],
    ['a-.b', false],
    ['ü', false],
    ['a/b', false],
    ['*', false],
  ] as const)
    assert.equal(takes(input, { ...given, preview_name }), isTaken, preview_name)
  takesDatabases(input, given)
})

test('a transfer takes a Node, a name and the absolute path of a database [INS-089]', () => {
  const { input } = instanceOperations.instanceTransfer
  const given = { instance: 1, node_id: 2 }
  for (const [name, isTaken] of [
    [undefined, true],
    ['a'.repeat(63), true],
    ['a'.repeat(64), false],
    ['', false],
    ['A', false],
  ] as const)
    assert.equal(takes(input, { ...given, name }), isTaken, String(name))
  assert.equal(takes(input, { instance: 1 }), false)
  assert.equal(takes(input, { ...given, node_id: 'web' }), false)
  takesDatabases(input, given)
})

/** An absolute path of a file with at most 4,096 characters, or none. */
function takesDatabases(input: z.ZodType, given: object): void {
  for (const [path, isTaken] of [
    [undefined, true],
    ['/a', true],
    ['/srv/my shop/é.sqlite', true],
    ['/srv/..data/a.', true],
    [`/${'a'.repeat(4095)}`, true],
    [`/${'a'.repeat(4096)}`, false],
    ['', false],
    ['/', false],
    ['a', false],
    ['./a', false],
    ['/a/', false],
    ['/a//b', false],
    ['/a/./b', false],
    ['/a/../b', false],
    ['/..', false],
    ['/a\nb', false],
    ['/a\0', false],
    [null, false],
  ] as const)
    assert.equal(takes(input, { ...given, sqlite_source_path: path }), isTaken, String(path))
}
