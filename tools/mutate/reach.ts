import { basename, dirname } from 'node:path'
import { importDistances, type ImportGraph } from '../import-graph.ts'
import { isTest } from '../tree.ts'

/** Real hosts, and tests of other things than the product, are no measure of a line of it. */
const LEFT_OUT = /^(tests\/(lab|catalogue|architecture)|tools|bench|lab)\//

export interface Reach {
  /** The few of the near ones that are tried before any test is asked what it runs: quick, and most like the file. */
  readonly nearest: readonly string[]
  /** Beside the file, in its domain, or importing it at once: they notice most. */
  readonly near: readonly string[]
  /** All others, by distance: first those of packages and apps, then those of the whole. */
  readonly far: readonly string[]
}

/** Test files that reach a file by imports. */
export function reachOf(graph: ImportGraph, file: string): Reach {
  const distances = importDistances(graph, [file])
  const tests = [...distances].filter(([path]) => isTest(path) && !LEFT_OUT.test(path)).toSorted(nearest)
  const beside = DOMAIN.exec(file)?.[0] ?? `${dirname(file)}/`
  const isBeside = (path: string): boolean => path.startsWith(beside)
  const isNear = ([path, distance]: readonly [string, number]): boolean => distance <= NEAR || isBeside(path)
  const far = tests.filter((found) => !isNear(found)).map(([path]) => path)
  const near = tests.filter(isNear).map(([path]) => path)
  const likeness = (path: string): number =>
    Number(dirname(path) === dirname(file)) + Number(wordOf(path) === wordOf(file))
  return {
    nearest: near
      .filter((path) => !isSlow(path))
      .toSorted((a, b) => likeness(b) - likeness(a))
      .slice(0, NEAREST),
    near,
    far: [...far.filter((path) => !isOfWhole(path)), ...far.filter(isOfWhole)],
  }
}

/** A domain is tested as a whole: what runs a step of it stands in its folder, not in that of the steps. */
const DOMAIN = /^packages\/fleet\/src\/[^/]+\//

/** Few enough that those which never run the place cost less than asking all. */
const NEAREST = 6

/** Of `move-service.test.ts`, `move`: a test beside an operation is named after it or begins like it. */
const wordOf = (path: string): string => basename(path).split(/[-.]/)[0] ?? ''

/** Runs real programs for seconds, or the whole. */
export const isSlow = (path: string): boolean => path.endsWith('.machine.test.ts') || isOfWhole(path)

const isOfWhole = (path: string): boolean => path.startsWith('tests/')

/** Imports between a test and the file that it is about: the file itself, or the one that makes it. */
const NEAR = 2

const nearest = (a: readonly [string, number], b: readonly [string, number]): number =>
  a[1] - b[1] || (a[0] < b[0] ? -1 : 1)
