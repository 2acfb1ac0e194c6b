import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { locators } from './locators.ts'
import { parseSource, readTree } from './tree.ts'

const FILE = 'packages/fleet/src/volumes/locators.ts'
const declaring = (...keys: readonly string[]) =>
  parseSource(
    FILE,
    `declare module '#/handler.ts' {\n  interface PathRecords {\n${keys.map((key) => `    readonly '${key}': string\n`).join('')}  }\n}\n`,
  )
const operation = (path: string, unknown: object = { volume: 'node.not_found' }) => ({
  name: 'volume:show' as const,
  path,
  unknown,
})

test('a parameter that names a record has exactly one locator, by its name or with the segment before it', () => {
  const paths = [operation('/volumes/{volume}/files/{file}')]
  for (const key of ['{volume}', 'volumes/{volume}'])
    assert.deepEqual(locators([declaring(key)], paths), { seen: 1, unit: 'locators', problems: [] })
})

test('a missing, a doubled, an idle and an undeclared locator are reported, and an empty tree is seen as one', () => {
  const paths = [operation('/volumes/{volume}')]
  assert.deepEqual(locators([], paths), {
    seen: 0,
    unit: 'locators',
    problems: ['volume:show: {volume} names a record and has 0 locators'],
  })
  assert.deepEqual(locators([declaring('{volume}', 'volumes/{volume}', '{disk}')], paths).problems, [
    `volume:show: {volume} names a record and has 2 locators ${FILE} ${FILE}`,
    `${FILE}:5  no path has {disk}`,
  ])
  assert.deepEqual(locators([declaring('{volume}')], [operation('/volumes/{volume}', {})]).problems, [
    `volume:show: {volume} names no record and has 1 locators ${FILE}`,
  ])
})

test('a name below a Node has a locator in the list of firewall rules alone', () => {
  const report = locators(readTree(resolve(import.meta.dirname, '..')), [
    operation('/nodes/{node}/volumes/{name}', { node: 'node.not_found', name: 'firewall.not_found' }),
  ])
  assert.ok(report.problems.includes('volume:show: {name} names a record and has 0 locators'))
})
