import { type Origin, refuse } from './failure.ts'
import type { GraphBuilder, Package } from './graph-builder.ts'
import type { Declared } from './manifest.ts'
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
  const places = installed(root, origin)
  for (const [, { resolution }] of places) graph.add(resolution)
  for (const { name, constraint, kind, scope, optional } of declared) {
    const target = targetOf(root, name, constraint, kind === 'peer' || optional, accepts, origin)
    graph.require({ source: undefined, target, name, constraint, kind, scope, optional })
  }
  for (const [place, from] of places) {
    const source = from.resolution.id
    eachRequirement(from, (name, constraint, kind, isOptional) => {
      const optional =
        isOptional || (kind === 'dependency' && from.isBundled(name) && lookUp(place, name) === undefined)
      const target = targetOf(place, name, constraint, kind === 'peer' || optional, accepts, origin)
      graph.require({ source, target, name, constraint, kind, scope: 'regular', optional })
    })
  }
}

/** The id of what satisfies a name at a place; only what may be missing has none. */
function targetOf<T extends Installed>(
  place: Place<T>,
  name: string,
  constraint: string,
  mayLack: boolean,
  accepts: Accepts<T>,
  origin: Origin,
): string | undefined {
  const found = lookUp(place, name)
  if (found !== undefined && accepts(constraint, found)) return found.resolution.id
  return mayLack ? undefined : refuse(origin, found === undefined ? 'missing_package' : 'alias')
}

/** A name that is optional too is optional, and a peer that is also a dependency is a dependency. */
function eachRequirement(
  from: Installed,
  take: (name: string, constraint: string, kind: Declared['kind'], optional: boolean) => void,
): void {
  const { dependencies, optionalDependencies, peerDependencies, optionalPeers } = from
  for (const [name, constraint] of dependencies)
    if (!optionalDependencies.has(name)) take(name, constraint, 'dependency', false)
  for (const [name, constraint] of optionalDependencies) take(name, constraint, 'dependency', true)
  for (const [name, constraint] of peerDependencies)
    if (!dependencies.has(name) && !optionalDependencies.has(name))
      take(name, constraint, 'peer', optionalPeers.has(name))
}
