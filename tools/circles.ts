import type { ImportGraph } from './import-graph.ts'
import type { Report } from './tree.ts'

/**
 * Files that import each other in a circle, type imports included: such files can only be understood together.
 */
export function circles(graph: ImportGraph): Report {
  const found = circlesOf(graph)
  const problems = found.map((circle) => `${circle.length} files  ${trip(graph, circle)}`)
  return { seen: graph.size, unit: 'files', problems, note: `${found.length} circles` }
}

/** The sets of files that all reach each other, smallest first (Tarjan's strongly connected components). */
export function circlesOf(graph: ImportGraph): ReadonlyArray<readonly string[]> {
  const order = new Map<string, number>()
  const open: string[] = []
  const found: string[][] = []
  const visit = (file: string): number => {
    const own = order.size
    order.set(file, own)
    open.push(file)
    let low = own
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next))
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? own)
    }
    if (low === own) found.push(open.splice(open.indexOf(file)))
    return low
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return found
    .filter((circle) => circle.length > 1 || graph.get(circle[0] ?? '')?.has(circle[0] ?? '') === true)
    .toSorted((a, b) => a.length - b.length)
}

/** The shortest way through a circle from one of its files back to itself: the import to cut is one of these. */
function trip(graph: ImportGraph, circle: readonly string[]): string {
  const inside = new Set(circle)
  const trips = circle.map((start) => shortest(graph, inside, start))
  return trips.reduce((best, next) => (next.length < best.length ? next : best)).join(' → ')
}

function shortest(graph: ImportGraph, inside: ReadonlySet<string>, start: string): readonly string[] {
  const trips: (readonly string[])[] = [[start]]
  const met = new Set<string>()
  for (const path of trips) {
    for (const next of graph.get(path.at(-1) ?? start) ?? []) {
      if (next === start) return [...path, start]
      if (!inside.has(next) || met.has(next)) continue
      met.add(next)
      trips.push([...path, next])
    }
  }
  throw new Error(`${start} is in no circle`)
}
