import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, errorRegistry, eventRegistry } from '@fleet/contract'
import { generatedFiles, reference } from './index.ts'
import { anchor, cell, table } from './markdown.ts'
import { shapeOf } from './shape.ts'

const pages = reference()
const page = (name: string): string => {
  const text = pages[name]
  assert.ok(text)
  return text
}

test('the same catalogue always writes the same files', () => {
  assert.deepEqual(reference(), pages)
  assert.deepEqual(Object.keys(generatedFiles()), [
    'docs/reference/openapi.json',
    'docs/reference/operations.md',
    'docs/reference/records.md',
    'docs/reference/errors.md',
    'docs/reference/states.md',
    'docs/reference/events.md',
    'docs/reference/doctor.md',
    'apps/cli/src/commands.json',
  ])
})

test('every operation has a section with its request, and every code a row', () => {
  for (const { name, method, path } of catalogue) {
    assert.ok(page('operations.md').includes(`\n### ${name}\n`), name)
    assert.ok(page('operations.md').includes(`\`${method} /api/v1${path}\``), name)
  }
  for (const code of Object.keys(errorRegistry))
    assert.ok(page('errors.md').includes(`| \`${code}\` |`), code)
})

test('every event has a row with its data', () => {
  for (const type of Object.keys(eventRegistry))
    assert.match(page('events.md'), new RegExp(`\\| \`${type}\` \\| [^|]+ \\| [^|]+ \\|`), type)
  assert.match(page('events.md'), /\| `node\.updated` \| `NodeData` \|/)
  assert.match(page('events.md'), /\| `project\.created` \| `ProjectData` \|/)
})

test('every link of the reference leads to a heading', () => {
  const headings = new Map(
    Object.entries(pages).map(([name, text]) => [
      name,
      new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchor(heading ?? ''))),
    ]),
  )
  for (const [name, text] of Object.entries(pages)) {
    for (const [link, file, target] of text.matchAll(/\]\(([\w.]*)#([^)]+)\)/g)) {
      assert.ok(headings.get(file === '' ? name : (file ?? ''))?.has(target ?? ''), `${name}: ${link}`)
    }
  }
})

test('statuses stand in their order', () => {
  assert.match(
    page('states.md'),
    /## InstanceData\n\n[^#]*\| `status` \| `reserved`, `checkout_prepared`, `source_resolved`, `active`, `removing` \|/,
  )
})

test('a text cannot break its table', () => {
  assert.equal(cell('a|b\nc'), 'a\\|b c')
  assert.equal(table(['A'], [['x|y']]), '| A |\n| - |\n| x\\|y |')
})

test('a schema reads in a few words', () => {
  assert.equal(shapeOf({ type: 'array', items: { $ref: '#/components/schemas/Node' } }), 'list of `Node`')
  assert.equal(shapeOf({ anyOf: [{ type: 'integer' }, { type: 'null' }] }), 'integer or null')
  assert.equal(
    shapeOf({ type: 'object', properties: { a: { type: 'string' }, b: { enum: ['x', 'y'] } } }),
    '{ `a` text, `b` `x` or `y` }',
  )
  assert.equal(shapeOf({}), 'any JSON')
})
