import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { catalogue, isCommand } from '@fleet/contract'
import { readTree } from '../../tools/tree.ts'
import { fileNames, NAMED_OTHERWISE, places } from '../../tools/where.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const tree = readTree(ROOT)

for (const operation of catalogue) {
  test(`${operation.name} has a declaration, a handler and a test that names it`, () => {
    const { contract, handler, tests } = places(operation, tree)
    assert.ok(contract, 'no file of packages/contract declares it')
    assert.ok(handler, 'no file of packages/fleet handles it')
    assert.notEqual(tests.length, 0, 'no test beside its handler and none that names it')
  })

  test(`the name of ${operation.name} leads to its two files, or where.ts says their names`, () => {
    const { contract = '', handler = '' } = places(operation, tree)
    const allowed = new Set([...fileNames(operation.name), ...(NAMED_OTHERWISE[operation.name] ?? [])])
    const stemOf = (place: string): string => place.replace(/^.*\/|\.ts:\d+$/g, '')
    assert.ok(allowed.has(stemOf(handler)), `handled in ${handler}`)
    assert.ok(stemOf(contract) === 'index' || allowed.has(stemOf(contract)), `declared in ${contract}`)
    for (const stem of NAMED_OTHERWISE[operation.name] ?? [])
      assert.ok([stemOf(contract), stemOf(handler)].includes(stem), `where.ts names ${stem} for nothing`)
  })

  test(`${operation.name} has its entry in the reference, the API document and the command index`, () => {
    const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
    assert.ok(read('docs/reference/operations.md').includes(`\n### ${operation.name}\n`))
    assert.ok(read('docs/reference/openapi.json').includes(`"/api/v1${operation.path}"`))
    // What only machines and browsers ask is no command.
    const isListed = read('apps/cli/src/commands.json').includes(`"${operation.name}":`)
    assert.equal(isListed, isCommand(operation))
  })
}

test('names are said for operations that exist, and for few of them', () => {
  const names: ReadonlySet<string> = new Set(catalogue.map(({ name }) => name))
  for (const name of Object.keys(NAMED_OTHERWISE)) assert.ok(names.has(name), name)
  assert.ok(Object.keys(NAMED_OTHERWISE).length <= 12)
})
