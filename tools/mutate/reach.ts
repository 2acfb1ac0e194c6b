import { dirname } from 'node:path'
import { importDistances, type ImportGraph } from '../import-graph.ts'
import { isTest } from '../tree.ts'

/** Real hosts, and tests of other things than the product, are no measure of a line of it. */
const LEFT_OUT = /^(tests\/(lab|catalogue|architecture)|tools|bench|lab)\//

export interface Reach {
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
  return {
    near: tests.filter(isNear).map(([path]) => path),
    far: [...far.filter((path) => !isOfWhole(path)), ...far.filter(isOfWhole)],
  }
}

/** A domain is tested as a whole: what runs a step of it stands in its folder, not in that of the steps. */
const DOMAIN = /^packages\/fleet\/src\/[^/]+\//

const isOfWhole = (path: string): boolean => path.startsWith('tests/')

/** Imports between a test and the file that it is about: the file itself, or the one that makes it. */
const NEAR = 2

const nearest = (a: readonly [string, number], b: readonly [string, number]): number =>
  a[1] - b[1] || (a[0] < b[0] ? -1 : 1)
