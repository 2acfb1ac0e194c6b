import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { readRequirements } from '../../tools/requirements.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const pages = globSync(
  ['*.md', 'docs/**/*.md', 'changes/*.md', '{apps,packages}/*/README.md', 'packages/fleet/src/*/README.md'],
  {
    cwd: ROOT,
  },
).toSorted()
const written = pages.filter((path) => !path.startsWith('docs/reference/'))
const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts) // npm reads the same member.

test('there are pages to look at', () => assert.ok(pages.length > 10))

for (const path of pages) {
  test(`every relative link of ${path} leads to a file`, () => {
    const links = [...read(path).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link)
    const broken = links.filter(
      (link) => !/^[a-z]+:/.test(link) && !existsSync(join(ROOT, dirname(path), link)),
    )
    assert.deepEqual(broken, [])
  })
}

for (const path of written) {
  test(`every npm script that ${path} names exists`, () => {
    const named = [...read(path).matchAll(/npm run ([a-z][a-z:-]*)/g)].map(([, script = '']) => script)
    assert.deepEqual(
      named.filter((script) => !scripts.includes(script)),
      [],
    )
  })
}

test('every decision page has its parts, and the list names each once, in their order, and nothing else', () => {
  const folder = join(ROOT, 'docs/decisions')
  const decisions = readdirSync(folder).filter((name) => name !== 'README.md')
  assert.ok(decisions.length > 0)
  const lines = read('docs/decisions/README.md').trimEnd().split('\n')
  const listed = lines.slice(lines.findIndex((line) => line.startsWith('| [')))
  assert.deepEqual(
    listed.map((line) => /^\| \[\d{4}\]\((.+?)\) \|/.exec(line)?.[1] ?? line),
    decisions.toSorted(),
  )
  for (const name of decisions) {
    assert.match(name, /^\d{4}-[a-z0-9-]+\.md$/)
    const text = read(`docs/decisions/${name}`)
    assert.ok(text.startsWith(`# ${name.slice(0, 4)} `), `${name} does not start with its number`)
    for (const part of ['Context', 'Choice', 'Refused'])
      assert.ok(text.includes(`**${part}.**`), `${name} lacks ${part}`)
  }
  const numbers = decisions.map((name) => name.slice(0, 4))
  assert.equal(new Set(numbers).size, numbers.length, 'two pages have one number')
})

test('AGENTS.md stays short enough to be read', () => {
  assert.ok(read('AGENTS.md').split('\n').length <= 151)
})

test('every file of changes starts with a sentence', () => {
  for (const path of globSync('changes/*.md', { cwd: ROOT }).filter((name) => !name.endsWith('README.md')))
    assert.match(read(path), /^[A-Z`][^]*?\.(\s|$)/, path)
})

test('the requirement rows are whole: ids are unique and every replaced row names its decision', () => {
  const { rows, replaced } = readRequirements(ROOT)
  // Rows are added and replaced, never removed.
  assert.ok(rows.length >= 2658)
  assert.ok(replaced.length > 0)
})
