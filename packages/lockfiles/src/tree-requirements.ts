import { type Origin, refuse } from './failure.ts'
import { type Fields, sectionOf, textOf } from './fields.ts'
import {
  type GraphBuilder,
  type Member,
  type OpenRequirement,
  openDeclared,
  openRequirement,
} from './graph-builder.ts'
import type { Declared } from './manifest.ts'
import { packageName } from './package-name.ts'
import { installed, lookUp, type Occupied, type Place } from './places.ts'

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
  /** Every requirement of a lock passes here, so it is neither copied nor asked for what few have. */
  const add = (place: Place<Installed>, one: OpenRequirement): void => {
    const found = lookUp(place, one.name)
    if (found === undefined) {
      // A name that is found is the name of a package, and those are checked.
      packageName(one.name, origin)
      if (place.value !== undefined && isInside(place.value.entry, one, tree)) one.optional = true
    }
    const target = found !== undefined && tree.accepts(one.constraint, found) ? found.member : undefined
    // Only what may be missing has no target.
    if (target === undefined && one.kind !== 'peer' && !one.optional)
      refuse(origin, found === undefined ? 'missing_package' : 'alias')
    graph.require(place.value?.member, target, one)
  }
  for (const one of declared) add(root, openDeclared(one))
  for (const place of places) eachRequirement(place, tree, origin, add)
}

/** Whether a dependency came inside of the package that has it. */
function isInside(entry: Fields, { name, kind }: OpenRequirement, tree: Tree): boolean {
  if (kind !== 'dependency') return false
  const bundled = tree.bundled(entry)
  return bundled === true || bundled.has(name)
}

/** A name that is optional too is optional, and a peer that is also a dependency is a dependency. */
function eachRequirement(
  place: Occupied<Installed>,
  tree: Tree,
  origin: Origin,
  add: (place: Place<Installed>, one: OpenRequirement) => void,
): void {
  const { entry } = place.value
  const dependencies = sectionOf(entry['dependencies'], origin)
  const optionalDependencies = sectionOf(entry['optionalDependencies'], origin)
  const peerDependencies = sectionOf(entry['peerDependencies'], origin)
  const optionalPeers = tree.optionalPeers(entry)
  // What JSON.parse makes has its own names alone, and a list of them would cost time.
  for (const name in dependencies)
    if (!Object.hasOwn(optionalDependencies, name))
      add(place, requirementOf(name, dependencies[name], 'dependency', false, origin))
  for (const name in optionalDependencies)
    add(place, requirementOf(name, optionalDependencies[name], 'dependency', true, origin))
  for (const name in peerDependencies)
    if (!Object.hasOwn(dependencies, name) && !Object.hasOwn(optionalDependencies, name))
      add(place, requirementOf(name, peerDependencies[name], 'peer', optionalPeers.has(name), origin))
}

const requirementOf = (
  name: string,
  constraint: unknown,
  kind: Declared['kind'],
  optional: boolean,
  origin: Origin,
): OpenRequirement => openRequirement(name, textOf(constraint, origin), kind, 'regular', optional)
