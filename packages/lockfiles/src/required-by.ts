import type { Graph, Requirement, Scope } from './graph.ts'

/** The root of a graph, where a position of a resolution is expected. */
export const ROOT = -1

/**
 * For each resolution the position of the one that requires it on a shortest path from the root: `ROOT`, or undefined where
 * nothing reaches it. Paths of regular requirements come before those of development, and dependencies before peers.
 */
export function requiredBy(graph: Graph): readonly (number | undefined)[] {
  const positions = new Map(graph.resolutions.map(({ id }, position) => [id, position]))
  const targets = new Map<number, number[]>()
  const starts: Record<Scope, number[]> = { regular: [], development: [] }
  for (const kind of ['dependency', 'peer'] as const)
    for (const one of graph.requirements) if (one.kind === kind) enter(one, positions, targets, starts)
  const found = graph.resolutions.map((): number | undefined => undefined)
  for (const scope of ['regular', 'development'] as const) spread(starts[scope], targets, found)
  return found
}

function enter(
  { source, target, scope }: Requirement,
  positions: ReadonlyMap<string, number>,
  targets: Map<number, number[]>,
  starts: Record<Scope, number[]>,
): void {
  const to = target === undefined ? undefined : positions.get(target)
  if (to === undefined) return
  if (source === undefined) return void starts[scope].push(to)
  const from = positions.get(source) ?? ROOT
  const known = targets.get(from)
  if (known) known.push(to)
  else targets.set(from, [to])
}

function spread(
  starts: readonly number[],
  targets: ReadonlyMap<number, readonly number[]>,
  found: (number | undefined)[],
): void {
  const reached: number[] = []
  const reach = (position: number, by: number): void => {
    if (found[position] !== undefined) return
    found[position] = by
    reached.push(position)
  }
  for (const start of starts) reach(start, ROOT)
  // The list grows on the way: nearer resolutions come first.
  for (const position of reached) for (const target of targets.get(position) ?? []) reach(target, position)
}
