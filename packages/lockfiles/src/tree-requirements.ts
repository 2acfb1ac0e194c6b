import { type Origin, refuse } from './failure.ts'
import { type Fields, sectionOf, textOf } from './fields.ts'
import type { GraphBuilder, Member } from './graph-builder.ts'
import type { Declared } from './manifest.ts'
import { packageName } from './package-name.ts'
import { installed, lookUp, type Place } from './places.ts'

/** A package of an installed tree with what the lock says of it. */
export interface Installed {
  readonly member: Member
  readonly entry: Fields
}

/** What differs between the managers that write a tree into their lock. */
export interface Tree {
  /** Peers that may be missing. */
  optionalPeers(entry: Fields): ReadonlySet<string>
  /** Dependencies that came inside of the package, or true for all; the lock need not list them. */
  bundled(entry: Fields): ReadonlySet<string> | true
  /** Whether what was found is what a dependency asks for. */
  accepts(constraint: string, found: Installed): boolean
}

/** Adds the packages of a tree and all requirements, those of the root first. */
export function addTree(
  graph: GraphBuilder,
  root: Place<Installed>,
  declared: readonly Declared[],
  tree: Tree,
  origin: Origin,
): void {
  const places = installed(root, origin)
  for (const { value } of places) graph.add(value.member)
  for (const one of declared) graph.require(undefined, targetOf(root, one, tree, origin), one)
  for (const place of places) {
    const { member, entry } = place.value
    const bundled = tree.bundled(entry)
    eachRequirement(entry, tree, origin, (one) => {
      const isInside =
        one.kind === 'dependency' && !one.optional && (bundled === true || bundled.has(one.name))
      const optional = one.optional || (isInside && lookUp(place, one.name) === undefined)
      const declaration = optional === one.optional ? one : { ...one, optional }
      graph.require(member, targetOf(place, declaration, tree, origin), declaration)
    })
  }
}

/** What satisfies a requirement at a place; only what may be missing has none. */
function targetOf(
  place: Place<Installed>,
  { name, constraint, kind, optional }: Declared,
  tree: Tree,
  origin: Origin,
): Member | undefined {
  const found = lookUp(place, name)
  // A name that is found is the name of a package, and those are checked.
  if (found === undefined) packageName(name, origin)
  else if (tree.accepts(constraint, found)) return found.member
  if (kind === 'peer' || optional) return undefined
  refuse(origin, found === undefined ? 'missing_package' : 'alias')
}

/** A name that is optional too is optional, and a peer that is also a dependency is a dependency. */
function eachRequirement(entry: Fields, tree: Tree, origin: Origin, take: (one: Declared) => void): void {
  const dependencies = sectionOf(entry['dependencies'], origin)
  const optionalDependencies = sectionOf(entry['optionalDependencies'], origin)
  const peerDependencies = sectionOf(entry['peerDependencies'], origin)
  const optionalPeers = tree.optionalPeers(entry)
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
