import { dirname } from 'node:path'
import { importDistances, type ImportGraph } from '../import-graph.ts'
import { isTest } from '../tree.ts'

/** Real hosts, and tests of other things than the product, are no measure of a line of it. */
const LEFT_OUT = /^(tests\/(lab|catalogue|architecture)|tools|bench|lab)\//

/**
 * Test files that reach a file by imports, in waves: those beside it and those that import it, then all others of packages and
 * apps by distance, then those of the whole. The first wave notices most.
 */
export function wavesOf(graph: ImportGraph, file: string): ReadonlyArray<readonly string[]> {
  const distances = importDistances(graph, [file])
  const tests = [...distances].filter(([path]) => isTest(path) && !LEFT_OUT.test(path)).toSorted(nearest)
  const isBeside = (path: string): boolean => path.startsWith(`${dirname(file)}/`)
  const wave = ([path, distance]: readonly [string, number]): Wave =>
    distance <= NEAR || isBeside(path) ? 'near' : path.startsWith('tests/') ? 'whole' : 'far'
  const waves = Map.groupBy(tests, wave)
  return (['near', 'far', 'whole'] as const)
    .map((name) => (waves.get(name) ?? []).map(([path]) => path))
    .filter((paths) => paths.length > 0)
}

type Wave = 'near' | 'far' | 'whole'

/** Imports between a test and the file that it is about: the file itself, or the one that makes it. */
const NEAR = 2

const nearest = (a: readonly [string, number], b: readonly [string, number]): number =>
  a[1] - b[1] || (a[0] < b[0] ? -1 : 1)
