import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { importsOf } from '../../tools/boundaries.ts'
import { ABOVE_DOMAINS, ALLOWED, ALLOWED_TYPES, DOMAINS } from '../../tools/layers.ts'
import { isTest, readTree } from '../../tools/tree.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const tree = readTree(ROOT)
const folders = globSync('{packages,apps}/*/package.json', { cwd: ROOT })
  .map((path) => dirname(path))
  .toSorted()

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest // npm itself refuses a broken one.

/** `zod` of `zod/mini`, `@fleet/kernel` of `@fleet/kernel`. */
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

const isPackage = (specifier: string): boolean =>
  !specifier.startsWith('.') &&
  !specifier.startsWith('#') &&
  !specifier.startsWith('node:') &&
  !isBuiltin(specifier)

test('there are workspaces to look at', () => assert.notEqual(folders.length, 0))

for (const folder of folders) {
  const declared = Object.keys(manifestOf(folder).dependencies ?? {})
  const files = tree.filter(({ path }) => path.startsWith(`${folder}/`))
  const importedBy = (wanted: (path: string) => boolean): ReadonlySet<string> =>
    new Set(
      files
        .filter(({ path }) => wanted(path))
        .flatMap(importsOf)
        .map(({ specifier }) => specifier)
        .filter(isPackage)
        .map(packageOf),
    )

  test(`${folder} has a row in the table of layers and is called after its folder`, () => {
    assert.ok(Object.hasOwn(ALLOWED, folder))
    assert.equal(manifestOf(folder).name, `@fleet/${folder.split('/')[1] ?? ''}`)
  })

  test(`${folder} declares every package that it imports`, () => {
    assert.deepEqual(
      [...importedBy((path) => !isTest(path))].filter((name) => !declared.includes(name)),
      [],
    )
  })

  test(`${folder} declares no package of the fleet that its layer may not import`, () => {
    const allowed = [...(ALLOWED[folder] ?? []), ...(ALLOWED_TYPES[folder] ?? [])]
    const strangers = declared.filter(
      (name) => name.startsWith('@fleet/') && !allowed.includes(name.slice('@fleet/'.length)),
    )
    assert.deepEqual(strangers, [])
  })

  test(`${folder} declares no package that it never imports`, () => {
    // A package may be named by a path, as the reference page names its script.
    const named = (name: string): boolean =>
      files.some(({ text }) => text.includes(`${name}/`) || text.includes(`'${name}'`))
    assert.deepEqual(
      declared.filter((name) => !named(name)),
      [],
    )
  })
}

test('every domain that exists has its place in the order, its README and its api.ts', () => {
  const above = new Set<string>(ABOVE_DOMAINS)
  const domains = new Set(
    tree
      .flatMap(({ path }) => /^packages\/fleet\/src\/([^/]+)\//.exec(path)?.[1] ?? [])
      .filter((name) => !above.has(name)),
  )
  assert.notEqual(domains.size, 0)
  for (const domain of domains) {
    assert.ok((DOMAINS as readonly string[]).includes(domain), `${domain} has no place in DOMAINS`) // The list is of literals.
    for (const file of ['README.md', 'api.ts'])
      assert.equal(
        globSync(`packages/fleet/src/${domain}/${file}`, { cwd: ROOT }).length,
        1,
        `${domain} lacks ${file}`,
      )
  }
})

test('the api.ts of a domain declares nothing: it exports from make.ts, record.ts and the others', () => {
  const seen = tree.filter(({ path }) => /^packages\/fleet\/src\/[^/]+\/api\.ts$/.test(path))
  assert.notEqual(seen.length, 0)
  for (const { path, parsed } of seen) {
    const declaring = parsed.program.body.filter(
      (statement) =>
        statement.type !== 'ExportAllDeclaration' && !('source' in statement && statement.source),
    )
    assert.deepEqual(
      declaring,
      [],
      `${path} declares what belongs to make.ts, record.ts or a file of its own`,
    )
  }
})

test('every dependency is pinned to one version', () => {
  for (const folder of ['.', ...folders]) {
    const manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest & {
      readonly devDependencies?: Readonly<Record<string, string>>
    } // npm itself refuses a broken one.
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
      assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${folder}: ${name}`)
  }
})
