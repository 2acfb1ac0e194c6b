import { type Origin, refuse } from './failure.ts'
import { type Fields, textOf } from './fields.ts'
import type { GraphBuilder, Member } from './graph-builder.ts'
import type { Declared } from './manifest.ts'
import { packageName } from './package-name.ts'
import { installed, lookUp, type Place } from './places.ts'

/** A package of an installed tree and what it requires: sections of name → constraint, as they are in the lock. */
export interface Installed {
  readonly member: Member
  readonly dependencies: Fields
  readonly optionalDependencies: Fields
  readonly peerDependencies: Fields
  readonly optionalPeers: ReadonlySet<string>
  /** Dependencies that came inside of the package, or true for all; the lock need not list them. */
  readonly bundled: ReadonlySet<string> | true
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
  for (const { value } of places) graph.add(value.member)
  for (const one of declared) graph.require(undefined, targetOf(root, one, accepts, origin), one)
  for (const { place, value } of places)
    eachRequirement(value, origin, (one) => {
      const isBundled = one.kind === 'dependency' && !one.optional && isBundledBy(value, one.name)
      const optional = one.optional || (isBundled && lookUp(place, one.name) === undefined)
      const declaration = optional === one.optional ? one : { ...one, optional }
      graph.require(value.member, targetOf(place, declaration, accepts, origin), declaration)
    })
}

const isBundledBy = ({ bundled }: Installed, name: string): boolean => bundled === true || bundled.has(name)

/** What satisfies a requirement at a place; only what may be missing has none. */
function targetOf<T extends Installed>(
  place: Place<T>,
  { name, constraint, kind, optional }: Declared,
  accepts: Accepts<T>,
  origin: Origin,
): Member | undefined {
  const found = lookUp(place, name)
  // A name that is found is the name of a package, and those are checked.
  if (found === undefined) packageName(name, origin)
  else if (accepts(constraint, found)) return found.member
  if (kind === 'peer' || optional) return undefined
  refuse(origin, found === undefined ? 'missing_package' : 'alias')
}

/** A name that is optional too is optional, and a peer that is also a dependency is a dependency. */
function eachRequirement(from: Installed, origin: Origin, take: (one: Declared) => void): void {
  const { dependencies, optionalDependencies, peerDependencies, optionalPeers } = from
  for (const name of Object.keys(dependencies))
    if (!Object.hasOwn(optionalDependencies, name))
      take(requirementOf(name, dependencies[name], 'dependency', false, origin))
  for (const name of Object.keys(optionalDependencies))
    take(requirementOf(name, optionalDependencies[name], 'dependency', true, origin))
  for (const name of Object.keys(peerDependencies))
    if (!Object.hasOwn(dependencies, name) && !Object.hasOwn(optionalDependencies, name))
      take(requirementOf(name, peerDependencies[name], 'peer', optionalPeers.has(name), origin))
}

const requirementOf = (
  name: string,
  constraint: unknown,
  kind: Declared['kind'],
  optional: boolean,
  origin: Origin,
): Declared => ({ name, constraint: textOf(constraint, origin), kind, scope: 'regular', optional })
