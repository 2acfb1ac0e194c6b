import { type Origin, refuse } from './failure.ts'
import { LIMITS } from './limits.ts'
import { packageName } from './package-name.ts'

/** A folder `node_modules` that packages are installed in, as npm and Bun write its tree into their locks. */
export interface Place<T> {
  readonly parent: Place<T> | undefined
  readonly name: string
  /** How many packages it is inside of. */
  readonly depth: number
  /** Made with the first child: most packages have none. */
  children: Map<string, Place<T>> | undefined
  /** What is installed here; undefined for the root. */
  value: T | undefined
}

export interface Occupied<T> extends Place<T> {
  readonly value: T
}

export const rootPlace = <T>(): Place<T> => ({
  parent: undefined,
  name: '',
  depth: 0,
  children: undefined,
  value: undefined,
})

/** The place of a name inside of another one, which may be new. Only names of packages have one. */
export function placeIn<T>(parent: Place<T>, name: string, origin: Origin): Place<T> {
  const children = (parent.children ??= new Map<string, Place<T>>())
  const known = children.get(name)
  if (known) return known
  if (parent.depth === LIMITS.nestedPackages) refuse(origin, 'too_deep')
  const depth = parent.depth + 1
  const made: Place<T> = {
    parent,
    name: packageName(name, origin),
    depth,
    children: undefined,
    value: undefined,
  }
  children.set(name, made)
  return made
}

export function install<T>(place: Place<T>, value: T, origin: Origin): void {
  if (place.value !== undefined) refuse(origin, 'duplicate_package')
  place.value = value
}

/** What Node finds for a name from a package: the nearest one on the way to the root. */
export function lookUp<T>(from: Place<T>, name: string): T | undefined {
  for (let place: Place<T> | undefined = from; place; place = place.parent) {
    const found = place.children?.get(name)?.value
    if (found !== undefined) return found
  }
  return undefined
}

/** Every place with a value, parents first. A place inside of one that holds nothing is refused. */
export function installed<T>(root: Place<T>, origin: Origin): ReadonlyArray<Occupied<T>> {
  const found: Occupied<T>[] = []
  const add = (place: Place<T>): void =>
    void (isOccupied(place) ? found.push(place) : refuse(origin, 'location'))
  for (const child of root.children?.values() ?? []) add(child)
  for (const { children } of found) if (children) for (const child of children.values()) add(child)
  return found
}

const isOccupied = <T>(place: Place<T>): place is Occupied<T> => place.value !== undefined
