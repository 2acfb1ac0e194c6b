import { type Origin, refuse } from './failure.ts'
import { LIMITS } from './limits.ts'

/** A folder `node_modules` that packages are installed in, as npm and Bun write its tree into their locks. */
export interface Place<T> {
  readonly parent: Place<T> | undefined
  readonly name: string
  /** Made with the first child: most packages have none. */
  children: Map<string, Place<T>> | undefined
  /** What is installed here; undefined for the root. */
  value: T | undefined
}

export const rootPlace = <T>(): Place<T> => ({
  parent: undefined,
  name: '',
  children: undefined,
  value: undefined,
})

/** Installs a value at a path of names below the root. */
export function install<T>(root: Place<T>, path: readonly string[], value: T, origin: Origin): void {
  if (path.length > LIMITS.nestedPackages) refuse(origin, 'too_deep')
  let place = root
  for (const name of path) place = childOf(place, name)
  if (place.value !== undefined) refuse(origin, 'duplicate_package')
  place.value = value
}

function childOf<T>(place: Place<T>, name: string): Place<T> {
  const children = (place.children ??= new Map<string, Place<T>>())
  const known = children.get(name)
  if (known) return known
  const made: Place<T> = { parent: place, name, children: undefined, value: undefined }
  children.set(name, made)
  return made
}

/** What Node finds for a name from a package: the nearest one on the way to the root. */
export function lookUp<T>(from: Place<T>, name: string): T | undefined {
  for (let place: Place<T> | undefined = from; place; place = place.parent) {
    const found = place.children?.get(name)?.value
    if (found !== undefined) return found
  }
  return undefined
}

export interface Occupied<T> {
  readonly place: Place<T>
  readonly value: T
}

/** Every place with a value, parents first. A place inside of one that holds nothing is refused. */
export function installed<T>(root: Place<T>, origin: Origin): ReadonlyArray<Occupied<T>> {
  const found: Occupied<T>[] = []
  const add = (place: Place<T>): void =>
    void found.push({ place, value: place.value ?? refuse(origin, 'location') })
  for (const child of root.children?.values() ?? []) add(child)
  for (const { place } of found) if (place.children) for (const child of place.children.values()) add(child)
  return found
}
