import { type Fields, fieldsOf, listOf, optionalText, textOf } from './fields.ts'
import { type Origin, refuse } from './failure.ts'
import { makeGraphBuilder, makeMember, type Member } from './graph-builder.ts'
import type { JsSource, Read } from './js-source.ts'
import { isPrintableJson, parseJson } from './json.ts'
import {
  declaredBy,
  hasWorkspaces,
  type Manifest,
  optionalPeers,
  refuseLocal,
  sectionsOf,
} from './manifest.ts'
import { packageName } from './package-name.ts'
import { install, type Place, placeIn, rootPlace } from './places.ts'
import { sameSections } from './root-difference.ts'
import { aliasOf, revisionOf, satisfiesAlias } from './specifier.ts'
import { addTree, type Tree } from './tree-requirements.ts'

/** package-lock.json and npm-shrinkwrap.json of versions 2 and 3, by their map `packages` (DEX-017, DEX-018). */
export function readNpm({ manifest, lockFile, lockText }: JsSource): Read {
  const isPrintable = isPrintableJson(lockText)
  const origin: Origin = { file: lockFile, invalid: 'dependencies.invalid_npm_input', isPrintable }
  const lock = fieldsOf(parseJson(lockText, origin), origin)
  const version = lock['lockfileVersion']
  if (version !== 2 && version !== 3) refuse(origin, 'format_version', 'dependencies.unsupported_format')
  refuseLocal(manifest.sections)
  const packages = fieldsOf(lock['packages'], origin)
  checkRoot(manifest, fieldsOf(packages[''] ?? {}, origin), origin)
  const root = rootPlace()
  for (const location of Object.keys(packages)) {
    if (location === '') continue
    const entry = fieldsOf(packages[location], origin)
    // What was never resolved has no place in the tree, and still needs one that it could have.
    const isMissing = isGhost(entry)
    const place = placeOf(isMissing ? rootPlace() : root, location, origin)
    if (!isMissing) install(place, memberOf(location, place.name, entry, origin), entry, origin)
  }
  const graph = makeGraphBuilder('npm', origin)
  addTree(graph, root, declaredBy(manifest.sections), treeOf(manifest, origin), origin)
  return { format: `npm-${version}`, graph: graph.finish() }
}

/** A map without an entry for the root declares nothing, so it fits a manifest that declares nothing either. */
function checkRoot({ sections }: Manifest, root: Fields, origin: Origin): void {
  if (hasWorkspaces(root['workspaces'])) refuse(origin, 'workspaces', 'dependencies.unsupported_layout')
  if (!sameSections(sections, sectionsOf(root, origin)))
    refuse(origin, 'stale', 'dependencies.stale_npm_lockfile')
}

/** `node_modules/a/node_modules/@b/c`. Any other location belongs to a workspace or a local package. */
function placeOf(root: Place, location: string, origin: Origin): Place {
  if (!location.startsWith(FIRST)) refuse(origin, 'local_package', 'dependencies.unsupported_layout')
  let from = FIRST.length
  let place = root
  for (let to = location.indexOf(NEXT, from); to >= 0; to = location.indexOf(NEXT, from)) {
    place = placeIn(place, location.slice(from, to), origin)
    from = to + NEXT.length
  }
  return placeIn(place, location.slice(from), origin)
}

const FIRST = 'node_modules/'
const NEXT = `/${FIRST}`

/** npm leaves entries of optional packages that were never resolved: they have no version and came from nowhere. */
const isGhost = (entry: Fields): boolean =>
  entry['version'] === undefined &&
  entry['resolved'] === undefined &&
  entry['optional'] === true &&
  entry['link'] !== true

function memberOf(location: string, installedAs: string, entry: Fields, origin: Origin): Member {
  const resolved = optionalText(entry['resolved'], origin)
  if (entry['link'] === true || resolved?.startsWith('file:'))
    refuse(origin, 'local_package', 'dependencies.unsupported_layout')
  const reference = resolved === undefined ? undefined : revisionOf(resolved)
  const { name } = entry
  return makeMember({
    id: textOf(location, origin),
    name: name === undefined ? installedAs : packageName(textOf(name, origin), origin),
    version: (optionalText(entry['version'], origin) ?? reference) || refuse(origin, 'identity'),
    reference,
    integrity: optionalText(entry['integrity'], origin),
  })
}

/** Names, or true for all dependencies. */
function bundledBy(entry: Fields, origin: Origin): ReadonlySet<string> | true {
  const bundled = entry['bundleDependencies'] ?? entry['bundledDependencies']
  if (bundled === true) return true
  if (bundled === undefined || bundled === false) return NONE
  return new Set(listOf(bundled, origin).map((name) => textOf(name, origin)))
}

const NONE: ReadonlySet<string> = new Set()

function treeOf({ fields }: Manifest, origin: Origin): Tree {
  const isOverridden = fields['overrides'] !== undefined
  return {
    optionalPeers: (entry) => optionalPeers(entry['peerDependenciesMeta'], origin),
    bundled: (entry) => bundledBy(entry, origin),
    accepts(constraint, { member, entry }) {
      const alias = aliasOf(constraint)
      // Aliases are checked, but overrides may have led them anywhere.
      if (alias === undefined || isOverridden) return true
      return satisfiesAlias(alias, {
        version: member.resolution.version,
        isFromRegistry: isFromRegistry(entry),
      })
    },
  }
}

const isFromRegistry = ({ resolved, integrity }: Fields): boolean =>
  typeof resolved === 'string' ? /^https?:/.test(resolved) : integrity !== undefined
