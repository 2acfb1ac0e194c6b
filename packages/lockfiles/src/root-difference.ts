import type { Sections } from './manifest.ts'
import { sameSpecifier } from './specifier.ts'

/** Whether the copy of the root in a lock declares what package.json declares, section by section. */
export function sameSections(one: Sections, other: Sections): boolean {
  return (
    sameNames(one.dependencies, other.dependencies) &&
    sameNames(one.devDependencies, other.devDependencies) &&
    sameNames(one.optionalDependencies, other.optionalDependencies) &&
    sameNames(one.peerDependencies, other.peerDependencies) &&
    [...one.peerDependencies.keys()].every(
      (name) => one.optionalPeers.has(name) === other.optionalPeers.has(name),
    )
  )
}

function sameNames(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  if (one.size !== other.size) return false
  for (const [name, specifier] of one) {
    const found = other.get(name)
    if (found === undefined || !sameSpecifier(specifier, found)) return false
  }
  return true
}
