// `npm run generate` writes every generated file; with `--check` it only tells which are out of date.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { generatedFiles } from '@fleet/surfaces'
import { citationsOf } from './citations.ts'
import { coveragePage } from './coverage.ts'
import { locksPage } from './locks.ts'
import { readRequirements } from './requirements.ts'
import { readSettings, settingsPage } from './settings.ts'
import { readTree, type Report, type SourceFile } from './tree.ts'

/** Path from the root to text. */
export type Generated = Readonly<Record<string, string>>

const REFERENCE = 'docs/reference'

/** Everything that is written by this program. */
export const generated = async (root: string, tree: readonly SourceFile[]): Promise<Generated> => ({
  ...generatedFiles(),
  [`${REFERENCE}/settings.md`]: settingsPage(await readSettings(root)),
  [`${REFERENCE}/locks.md`]: locksPage(),
  [`${REFERENCE}/coverage.md`]: coveragePage(readRequirements(root), tree.flatMap(citationsOf)),
})

/** Generated files that are missing, differ from what would be written, or that nothing writes any more. */
export async function outdated(root: string, tree: readonly SourceFile[]): Promise<Report> {
  const files = await generated(root, tree)
  return { seen: Object.keys(files).length, unit: 'files', problems: differences(root, files) }
}

export function differences(root: string, files: Generated): readonly string[] {
  const changed = Object.entries(files)
    .filter(([path, text]) => read(join(root, path)) !== text)
    .map(([path]) => `${path}  is out of date: npm run generate`)
  return [
    ...changed,
    ...strays(root, files).map((path) => `${path}  is written by nothing: npm run generate`),
  ]
}

/** Writes what differs and removes what nothing writes; gives back the paths it touched. */
export function write(root: string, files: Generated): readonly string[] {
  const changed = Object.entries(files).filter(([path, text]) => read(join(root, path)) !== text)
  for (const [path, text] of changed) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const stray = strays(root, files)
  for (const path of stray) rmSync(join(root, path))
  return [...changed.map(([path]) => path), ...stray]
}

// Written by `npm run bench -- --record`, whose figures no second run repeats.
const MEASURED = `${REFERENCE}/benchmarks.md`

const strays = (root: string, files: Generated): readonly string[] =>
  globSync(`${REFERENCE}/*`, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path !== MEASURED && !Object.hasOwn(files, path))

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..')
  const tree = readTree(root)
  const isCheck = process.argv.includes('--check')
  const lines = isCheck
    ? (await outdated(root, tree)).problems
    : write(root, await generated(root, tree)).map((path) => `wrote ${path}`)
  console.log(lines.join('\n') || 'everything is up to date')
  process.exitCode = isCheck && lines.length > 0 ? 1 : 0
}
