import { execFileSync } from 'node:child_process'
import { basename, dirname } from 'node:path'
import { importersOf, importGraph, type ImportGraph, readEntries } from '../import-graph.ts'
import { isTest, readTree, type SourceFile } from '../tree.ts'

/** Tests that look at the whole tree, so every change reaches them. */
const ALWAYS = /^tests\/architecture\//
/** Files that every process depends on. */
const EVERYTHING = /^(package\.json|package-lock\.json|tsconfig\.json|\.npmrc|\.ci\/run)$/
const MANIFEST = /^((?:packages|apps)\/[^/]+\/)package\.json$/
/** Where a text names a file of the repository: it starts it as a process, bundles it or reads it. */
const PATH_IN_TEXT = /(?:apps|packages|tests|tools|lab|bench|docs)\/[\w./-]+\.\w+/g
const SOURCE = /\.tsx?$/

export interface Reach {
  readonly tests: ReadonlySet<string>
  /** Changed files that no test was found for. */
  readonly unread: readonly string[]
}

/**
 * Files that differ from a commit, uncommitted and new ones included. Without one from where the branch left `main`; on `main`
 * the uncommitted alone.
 */
export function changedFiles(root: string, since?: string): readonly string[] {
  const git = (...words: readonly string[]): readonly string[] =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  const [main] = git('for-each-ref', '--format=%(objectname)', 'refs/heads/main', 'refs/remotes/origin/main')
  const left = since ?? main
  const [base = 'HEAD'] = left === undefined ? [] : git('merge-base', 'HEAD', left)
  const changed = git('diff', '--name-only', '--no-renames', base)
  return [...new Set([...changed, ...git('ls-files', '--others', '--exclude-standard')])].toSorted()
}

/** Tests of a checkout that a change can reach. */
export function reachOf(root: string, changed: readonly string[]): Reach {
  const tree = readTree(root)
  const graph = importGraph(tree, readEntries(root), 'running')
  return reach(tree, withNamedFiles(tree, graph), changed)
}

/** A file that is named in a text counts as imported by it. */
export function withNamedFiles(tree: readonly SourceFile[], graph: ImportGraph): ImportGraph {
  const paths = new Set(tree.map(({ path }) => path))
  return new Map(
    tree.map(({ path, text }) => {
      const named = [...text.matchAll(PATH_IN_TEXT)].map(([name]) => name).filter((name) => paths.has(name))
      return [path, new Set([...(graph.get(path) ?? []), ...named])]
    }),
  )
}

export function reach(tree: readonly SourceFile[], graph: ImportGraph, changed: readonly string[]): Reach {
  const starts = changed.map((file) => ({ file, readers: readersOf(tree, file) }))
  const reached = importersOf(
    graph,
    starts.flatMap(({ readers }) => readers),
  )
  const tests = [...reached, ...[...graph.keys()].filter((path) => ALWAYS.test(path))].filter(isTest)
  return {
    tests: new Set(changed.length === 0 ? [] : tests.filter((path) => graph.has(path))),
    unread: starts.filter(({ readers }) => readers.length === 0).map(({ file }) => file),
  }
}

/** The source files that a changed file is part of: itself, or those that read it. */
function readersOf(tree: readonly SourceFile[], file: string): readonly string[] {
  if (SOURCE.test(file)) return [file]
  if (EVERYTHING.test(file)) return tree.map(({ path }) => path)
  const where = (wanted: (source: SourceFile) => boolean): readonly string[] =>
    tree.filter(wanted).map(({ path }) => path)
  const [, workspace] = MANIFEST.exec(file) ?? []
  if (workspace !== undefined) return where(({ path }) => path.startsWith(workspace))
  // Golden files are read by names that are put together: they belong to the code of the folder beside them.
  const [, owner] = /^(.*\/)golden\//.exec(file) ?? []
  if (owner !== undefined) return where(({ path }) => path.startsWith(owner))
  const named = file.endsWith('.md') ? file : basename(file)
  const readers = where(({ text }) => text.includes(named))
  if (readers.length > 0 || file.endsWith('.md')) return readers
  return where(({ path }) => path.startsWith(`${dirname(file)}/`))
}
