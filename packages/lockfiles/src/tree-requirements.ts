import { type Origin, refuse } from './failure.ts'
import type { GraphBuilder, Package } from './graph-builder.ts'
import { type Declared, requirements } from './manifest.ts'
import { installed, lookUp, type Place } from './places.ts'

/** A package of an installed tree and what it requires. */
export interface Installed {
  readonly resolution: Package
  readonly dependencies: ReadonlyMap<string, string>
  readonly optionalDependencies: ReadonlyMap<string, string>
  readonly peerDependencies: ReadonlyMap<string, string>
  readonly optionalPeers: ReadonlySet<string>
  /** Dependencies that came inside of the package; the lock need not list them. */
  readonly isBundled: (name: string) => boolean
}

/** Whether what was found is what a dependency asks for. */
export type Accepts<T> = (constraint: string, found: T) => boolean

/** Adds the packages of a tree and all requirements, those of the root first. */
export function addTree<T extends Installed>(
  graph: GraphBuilder,
  root: Place<T>,
  declared: readonly Declared[],
  accepts: Accepts<T>,
  origin: Origin,
): void {
  const places = [...installed(root, origin)]
  for (const [, { resolution }] of places) graph.add(resolution)
  const require = (source: string | undefined, place: Place<T>, one: Declared): void => {
    const found = lookUp(place, one.name)
    const target = found !== undefined && accepts(one.constraint, found) ? found.resolution.id : undefined
    if (target === undefined && !one.optional && one.kind === 'dependency')
      refuse(origin, found === undefined ? 'missing_package' : 'alias')
    graph.require({
      ...(source !== undefined && { source }),
      ...(target !== undefined && { target }),
      ...one,
    })
  }
  for (const one of declared) require(undefined, root, one)
  for (const [place, from] of places)
    for (const one of requirementsOf(from)) {
      const isInside = one.kind === 'dependency' && from.isBundled(one.name)
      const optional = one.optional || (isInside && lookUp(place, one.name) === undefined)
      require(from.resolution.id, place, optional === one.optional ? one : { ...one, optional })
    }
}

/** A name that is optional too is optional, and a peer that is also a dependency is a dependency. */
function* requirementsOf(from: Installed): Generator<Declared> {
  const { dependencies, optionalDependencies, peerDependencies, optionalPeers } = from
  for (const one of requirements(dependencies, {})) if (!optionalDependencies.has(one.name)) yield one
  yield* requirements(optionalDependencies, { optional: true })
  for (const one of requirements(peerDependencies, { kind: 'peer' }, optionalPeers))
    if (!dependencies.has(one.name) && !optionalDependencies.has(one.name)) yield one
}
