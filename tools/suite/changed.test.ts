import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { importGraph } from '../import-graph.ts'
import { parseSource } from '../tree.ts'
import { changedFiles, reach, withNamedFiles } from './changed.ts'

const FILES = {
  'packages/fleet/src/dns/rules.ts': '',
  'packages/fleet/src/dns/rules.test.ts': `import './rules.ts'`,
  'packages/fleet/src/dns/apply.ts': `const SCRIPT = new URL('apply.sh', import.meta.url)`,
  'packages/fleet/src/dns/apply.test.ts': `import './apply.ts'`,
  'packages/fleet/src/dns/types.test.ts': `import type { Rule } from './rules.ts'`,
  'packages/fleet/src/nodes/show.test.ts': '',
  'apps/gateway/src/main.ts': `import '@fleet/fleet/dns'`,
  'tests/start/refused.test.ts': `const MAIN = new URL('../../apps/gateway/src/main.ts', import.meta.url)`,
  'tests/architecture/documents.test.ts': '',
  'tests/catalogue/guide.test.ts': `read('docs/guides/add-an-operation.md')`,
}
const tree = Object.entries(FILES).map(([path, code]) => parseSource(path, code))
const entries = new Map([['@fleet/fleet/dns', 'packages/fleet/src/dns/rules.ts']])
const graph = withNamedFiles(tree, importGraph(tree, entries, 'running'))
const testsOf = (...changed: readonly string[]): readonly string[] =>
  [...reach(tree, graph, changed).tests].toSorted()

const ALWAYS = 'tests/architecture/documents.test.ts'

test('a change reaches its importers, and who starts one of them as a process; imports of types bring nobody', () => {
  assert.deepEqual(testsOf('packages/fleet/src/dns/rules.ts'), [
    'packages/fleet/src/dns/rules.test.ts',
    ALWAYS,
    'tests/start/refused.test.ts',
  ])
})

const cases: ReadonlyArray<readonly [file: string, reached: readonly string[]]> = [
  ['packages/fleet/src/dns/apply.sh', ['packages/fleet/src/dns/apply.test.ts']],
  ['packages/fleet/src/nodes/golden/show/a.txt', ['packages/fleet/src/nodes/show.test.ts']],
  ['docs/guides/add-an-operation.md', ['tests/catalogue/guide.test.ts']],
  ['packages/fleet/src/nodes/show.test.ts', ['packages/fleet/src/nodes/show.test.ts']],
  ['packages/fleet/src/nodes/gone.test.ts', []],
  ['apps/gateway/package.json', ['tests/start/refused.test.ts']],
]
for (const [file, reached] of cases) {
  test(`${file} reaches ${reached.join() || 'nothing'} besides what looks at the whole tree`, () => {
    assert.deepEqual(testsOf(file), [...reached, ALWAYS].toSorted())
  })
}

test('the lock file reaches every test', () => {
  assert.deepEqual(testsOf('package-lock.json').length, 7)
})

test('without a change nothing is reached, and a file that nothing reads is named', () => {
  assert.deepEqual(testsOf(), [])
  assert.deepEqual(reach(tree, graph, ['docs/lonely.md']).unread, ['docs/lonely.md'])
})

test('committed, uncommitted and new files count, from where the branch left main', (context) => {
  const root = mkdtempSync(join(tmpdir(), 'fleet-changed-'))
  context.after(() => rmSync(root, { recursive: true }))
  const git = (...words: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...words], {
      cwd: root,
      stdio: 'ignore',
    })
  const commit = (file: string): void => {
    writeFileSync(join(root, file), `${file}\n`)
    git('add', '.')
    git('commit', '-m', file)
  }
  git('init', '--initial-branch=main')
  commit('old.ts')
  git('checkout', '-b', 'work')
  commit('committed.ts')
  git('checkout', 'main')
  commit('elsewhere.ts')
  git('checkout', 'work')
  writeFileSync(join(root, 'old.ts'), 'other\n')
  writeFileSync(join(root, 'new.ts'), 'new\n')
  assert.deepEqual(changedFiles(root), ['committed.ts', 'new.ts', 'old.ts'])
})
