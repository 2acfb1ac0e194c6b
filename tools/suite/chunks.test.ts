import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { choose } from './chunks.ts'

const FILES = {
  'packages/ssh/src/pool.test.ts': 40,
  'packages/fleet/src/nodes/list.test.ts': 30,
  'tools/sizes.test.ts': 10,
  'apps/cli/src/x.test.ts': 5,
  'packages/fleet/src/instances/create.machine.test.ts': 5,
  'packages/x/node_modules/y/y.test.ts': 5,
  'packages/ssh/src/pool.ts': 5,
  'tests/api/refusals.test.ts': 5,
  'tests/embedded/sample.test.ts': 5,
  'tests/lab/hosts.test.ts': 5,
}

function tree(context: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'fleet-chunks-'))
  context.after(() => rmSync(root, { recursive: true }))
  for (const [path, bytes] of Object.entries(FILES)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), 'x'.repeat(bytes))
  }
  return root
}

test('unit tests come first and evenly split, then each folder, the lab left out, then those that drive the machine', (context) => {
  const { chunks, files } = choose(tree(context), [], 2, false)
  assert.deepEqual(
    chunks.map(({ name, files: paths }) => [name, ...paths.toSorted()]),
    [
      ['unit 1', 'packages/ssh/src/pool.test.ts'],
      ['unit 2', 'packages/fleet/src/nodes/list.test.ts'],
      ['unit 3', 'tools/sizes.test.ts'],
      ['unit 4', 'apps/cli/src/x.test.ts'],
      ['tests/embedded', 'tests/embedded/sample.test.ts'],
      ['tests/api', 'tests/api/refusals.test.ts'],
      ['machine', 'packages/fleet/src/instances/create.machine.test.ts'],
    ],
  )
  assert.equal(files, 7)
})

test('the API suite runs once more on PostgreSQL where there is one', (context) => {
  const { chunks } = choose(tree(context), ['tests/api', 'tests/embedded'], 2, true)
  assert.deepEqual(
    chunks.map(({ name, files, env }) => ({ name, files, env })),
    [
      { name: 'tests/embedded', files: ['tests/embedded/sample.test.ts'], env: {} },
      { name: 'tests/api', files: ['tests/api/refusals.test.ts'], env: {} },
      {
        name: 'tests/api on PostgreSQL',
        files: ['tests/api/refusals.test.ts'],
        env: { FLEET_TEST_DIALECT: 'postgres' },
      },
    ],
  )
})

test('a filter lets in the paths that hold it', (context) => {
  const { chunks } = choose(tree(context), ['packages/ssh', 'x.test'], 2, false)
  assert.deepEqual(chunks.flatMap(({ files }) => files).toSorted(), [
    'apps/cli/src/x.test.ts',
    'packages/ssh/src/pool.test.ts',
  ])
})

test('a filter that lets in nothing is an error, and so is a tree without tests', (context) => {
  const root = tree(context)
  assert.throws(() => choose(root, ['ponies'], 2, false), /no test files match: ponies/)
  assert.throws(() => choose(join(root, 'tools'), [], 2, false), /no test files match: anything/)
})

test('a large folder is split, and the largest comes first', (context) => {
  const root = tree(context)
  for (const name of ['a', 'b', 'c'])
    writeFileSync(join(root, `tests/embedded/${name}.test.ts`), 'x'.repeat(9000))
  const { chunks } = choose(root, ['tests/'], 2, false)
  assert.deepEqual(
    chunks.map(({ name, files }) => [name, files.length]),
    [
      ['tests/embedded 1', 2],
      ['tests/embedded 2', 2],
      ['tests/api', 1],
    ],
  )
})

test('the folder whose tests run the whole suite has more time, and so has what drives the machine, wherever it is', (context) => {
  const root = tree(context)
  for (const path of ['tests/catalogue/guide.test.ts', 'tests/sequences/all.machine.test.ts']) {
    mkdirSync(dirname(join(root, path)))
    writeFileSync(join(root, path), 'x')
  }
  const { chunks } = choose(root, [], 2, false)
  const seconds = new Map(chunks.map(({ name, limits }) => [name, limits?.test]))
  assert.equal(seconds.get('tests/catalogue'), 900)
  assert.deepEqual([seconds.get('machine'), seconds.get('tests/sequences')], [480, 480])
  assert.equal(seconds.get('tests/api'), undefined)
})
