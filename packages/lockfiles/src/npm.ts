import { type Fields, fieldsOf, listOf, optionalText, sectionOf, textOf } from './fields.ts'
import { type Origin, refuse } from './failure.ts'
import { makeGraphBuilder, makeMember, type Package } from './graph-builder.ts'
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
import { install, rootPlace } from './places.ts'
import { sameSections } from './root-difference.ts'
import { aliasOf, revisionOf, satisfiesAlias } from './specifier.ts'
import { type Accepts, addTree, type Installed } from './tree-requirements.ts'

interface NpmPackage extends Installed {
  readonly isFromRegistry: boolean
}

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
  const root = rootPlace<NpmPackage>()
  for (const location of Object.keys(packages)) {
    if (location === '') continue
    const path = pathOf(location, origin)
    const entry = fieldsOf(packages[location], origin)
    if (!isGhost(entry)) install(root, path, packageOf(location, path, entry, origin), origin)
  }
  const graph = makeGraphBuilder('npm', origin)
  addTree(graph, root, declaredBy(manifest.sections), acceptsOf(manifest), origin)
  return { format: `npm-${version}`, graph: graph.finish() }
}

/** A map without an entry for the root declares nothing, so it fits a manifest that declares nothing either. */
function checkRoot({ sections }: Manifest, root: Fields, origin: Origin): void {
  if (hasWorkspaces(root['workspaces'])) refuse(origin, 'workspaces', 'dependencies.unsupported_layout')
  if (!sameSections(sections, sectionsOf(root, origin)))
    refuse(origin, 'stale', 'dependencies.stale_npm_lockfile')
}

/** `node_modules/a/node_modules/@b/c` as names. Any other location belongs to a workspace or a local package. */
function pathOf(location: string, origin: Origin): readonly string[] {
  // Most packages are not inside of another one.
  if (location.lastIndexOf(MODULES) === 0) return [packageName(location.slice(MODULES.length), origin)]
  const [before, ...names] = `/${textOf(location, origin)}`.split('/node_modules/')
  if (before !== '' || names.length === 0) refuse(origin, 'local_package', 'dependencies.unsupported_layout')
  return names.map((name) => packageName(name, origin))
}

const MODULES = 'node_modules/'

/** npm leaves entries of optional packages that were never resolved: they have no version and came from nowhere. */
const isGhost = ({ version, resolved, optional, link }: Fields): boolean =>
  version === undefined && resolved === undefined && optional === true && link !== true

function packageOf(location: string, path: readonly string[], entry: Fields, origin: Origin): NpmPackage {
  const resolved = optionalText(entry['resolved'], origin)
  if (entry['link'] === true || resolved?.startsWith('file:'))
    refuse(origin, 'local_package', 'dependencies.unsupported_layout')
  return {
    member: makeMember(resolutionOf(location, path, entry, resolved, origin)),
    dependencies: sectionOf(entry['dependencies'], origin),
    optionalDependencies: sectionOf(entry['optionalDependencies'], origin),
    peerDependencies: sectionOf(entry['peerDependencies'], origin),
    optionalPeers: optionalPeers(entry['peerDependenciesMeta'], origin),
    bundled: bundledBy(entry, origin),
    isFromRegistry: resolved === undefined ? entry['integrity'] !== undefined : /^https?:/.test(resolved),
  }
}

function resolutionOf(
  location: string,
  path: readonly string[],
  entry: Fields,
  resolved: string | undefined,
  origin: Origin,
): Package {
  const reference = resolved === undefined ? undefined : revisionOf(resolved)
  const integrity = optionalText(entry['integrity'], origin)
  const { name } = entry
  return {
    id: location,
    // Those of the path are checked.
    name:
      name === undefined
        ? (path.at(-1) ?? refuse(origin, 'identity'))
        : packageName(textOf(name, origin), origin),
    version: (optionalText(entry['version'], origin) ?? reference) || refuse(origin, 'identity'),
    reference,
    integrity,
  }
}

/** Names, or true for all dependencies. */
function bundledBy(entry: Fields, origin: Origin): ReadonlySet<string> | true {
  const bundled = entry['bundleDependencies'] ?? entry['bundledDependencies']
  if (bundled === true) return true
  if (bundled === undefined || bundled === false) return NONE
  return new Set(listOf(bundled, origin).map((name) => textOf(name, origin)))
}

const NONE: ReadonlySet<string> = new Set()

/** Aliases are checked, but overrides may have led them anywhere. */
function acceptsOf({ fields }: Manifest): Accepts<NpmPackage> {
  if (fields['overrides'] !== undefined) return () => true
  return (constraint, { member, isFromRegistry }) => {
    const alias = aliasOf(constraint)
    return (
      alias === undefined || satisfiesAlias(alias, { version: member.resolution.version, isFromRegistry })
    )
  }
}
