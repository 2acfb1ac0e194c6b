import { type Origin, refuse } from './failure.ts'
import type { Fields } from './fields.ts'
import type { Member } from './graph-builder.ts'
import { LIMITS } from './limits.ts'
import { packageName } from './package-name.ts'

/** A folder `node_modules` that packages are installed in, as npm and Bun write its tree into their locks. */
export interface Place {
  readonly parent: Place | undefined
  readonly name: string
  /** How many packages it is inside of. */
  readonly depth: number
  /** Made with the first child: most packages have none. */
  children: Map<string, Place> | undefined
  /** What is installed here; undefined for the root. */
  member: Member | undefined
  /** What the lock says of it. */
  entry: Fields
}

/** A place that a package is installed at. */
export interface Installed extends Place {
  readonly member: Member
}

export const rootPlace = (): Place => makePlace(undefined, '', 0)

const makePlace = (parent: Place | undefined, name: string, depth: number): Place => ({
  parent,
  name,
  depth,
  children: undefined,
  member: undefined,
  entry: EMPTY,
})

const EMPTY: Fields = {}

/** The place of a name inside of another one, which may be new. Only names of packages have one. */
export function placeIn(parent: Place, name: string, origin: Origin): Place {
  const children = (parent.children ??= new Map<string, Place>())
  const known = children.get(name)
  if (known) return known
  if (parent.depth === LIMITS.nestedPackages) refuse(origin, 'too_deep')
  const made = makePlace(parent, packageName(name, origin), parent.depth + 1)
  children.set(name, made)
  return made
}

export function install(place: Place, member: Member, entry: Fields, origin: Origin): void {
  if (place.member !== undefined) refuse(origin, 'duplicate_package')
  place.member = member
  place.entry = entry
}

/** What Node finds for a name from a package: the nearest one on the way to the root. */
export function lookUp(from: Place, name: string): Installed | undefined {
  for (let place: Place | undefined = from; place; place = place.parent) {
    const found = place.children?.get(name)
    if (found !== undefined && isInstalled(found)) return found
  }
  return undefined
}

/** Every place with a package, parents first. A place inside of one that holds nothing is refused. */
export function installed(root: Place, origin: Origin): readonly Installed[] {
  const found: Installed[] = []
  const add = (place: Place): void =>
    void (isInstalled(place) ? found.push(place) : refuse(origin, 'location'))
  for (const child of root.children?.values() ?? []) add(child)
  for (const { children } of found) if (children) for (const child of children.values()) add(child)
  return found
}

const isInstalled = (place: Place): place is Installed => place.member !== undefined
