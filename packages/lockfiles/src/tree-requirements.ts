import { type Origin, refuse } from './failure.ts'
import { type Fields, optionalFields, textOf } from './fields.ts'
import { type GraphBuilder, type OpenRequirement, openDeclared, openRequirement } from './graph-builder.ts'
import type { Declared } from './manifest.ts'
import { packageName } from './package-name.ts'
import { type Installed, installed, lookUp, type Place } from './places.ts'

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
  root: Place,
  declared: readonly Declared[],
  tree: Tree,
  origin: Origin,
): void {
  const places = installed(root, origin)
  for (const { member } of places) graph.add(member)
  /** Every requirement of a lock passes here, so it is neither copied nor asked for what few have. */
  const add = (place: Place, one: OpenRequirement): void => {
    const found = lookUp(place, one.name)
    if (found === undefined) {
      // A name that is found is the name of a package, and those are checked.
      packageName(one.name, origin)
      if (place.member !== undefined && isInside(place.entry, one, tree)) one.optional = true
    }
    const target = found !== undefined && tree.accepts(one.constraint, found) ? found.member : undefined
    // Only what may be missing has no target.
    if (target === undefined && one.kind !== 'peer' && !one.optional)
      refuse(origin, found === undefined ? 'missing_package' : 'alias')
    graph.require(place.member, target, one)
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
  place: Installed,
  tree: Tree,
  origin: Origin,
  add: (place: Place, one: OpenRequirement) => void,
): void {
  const { entry } = place
  const dependencies = optionalFields(entry['dependencies'], origin)
  const optionals = optionalFields(entry['optionalDependencies'], origin)
  const peers = optionalFields(entry['peerDependencies'], origin)
  const optionalPeers = tree.optionalPeers(entry)
  // What JSON.parse makes has its own names alone, and a list of them would cost time.
  for (const name in dependencies)
    if (!has(optionals, name))
      add(place, requirementOf(name, dependencies[name], 'dependency', false, origin))
  for (const name in optionals) add(place, requirementOf(name, optionals[name], 'dependency', true, origin))
  for (const name in peers)
    if (!has(dependencies, name) && !has(optionals, name))
      add(place, requirementOf(name, peers[name], 'peer', optionalPeers.has(name), origin))
}

const has = (section: Fields | undefined, name: string): boolean =>
  section !== undefined && Object.hasOwn(section, name)

const requirementOf = (
  name: string,
  constraint: unknown,
  kind: Declared['kind'],
  optional: boolean,
  origin: Origin,
): OpenRequirement => openRequirement(name, textOf(constraint, origin), kind, 'regular', optional)
