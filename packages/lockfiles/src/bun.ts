import { digestId } from './digest.ts'
import { type Fields, fieldsOf, listOf, sectionOf, textOf } from './fields.ts'
import { type Origin, refuse } from './failure.ts'
import { makeGraphBuilder, makeMember, type Member, type Package } from './graph-builder.ts'
import type { JsSource, Read } from './js-source.ts'
import { isPrintableJson, parseJsonc } from './json.ts'
import {
  type Declared,
  declaredBy,
  type Manifest,
  refuseLocal,
  type Sections,
  sectionsOf,
} from './manifest.ts'
import { type NameAndRest, splitName } from './package-name.ts'
import { install, type Place, placeIn, rootPlace } from './places.ts'
import { sameSections } from './root-difference.ts'
import { addTree, type Tree } from './tree-requirements.ts'

/** bun.lock of versions 1 and 2: the workspace `""` and packages by the path that they are installed at (DEX-020). */
export function readBun({ manifest, lockFile, lockText }: JsSource): Read {
  const isPrintable = isPrintableJson(lockText)
  const origin: Origin = { file: lockFile, invalid: 'dependencies.invalid_bun_input', isPrintable }
  const lock = fieldsOf(parseJsonc(lockText, origin), origin)
  const version = lock['lockfileVersion']
  if (version !== 1 && version !== 2) refuse(origin, 'format_version', 'dependencies.unsupported_format')
  refuseLocal(manifest.sections)
  checkRoot(manifest, lock, origin)
  const root = rootPlace()
  const packages = sectionOf(lock['packages'], origin)
  for (const key of Object.keys(packages)) {
    const place = placeOf(root, textOf(key, origin), origin)
    const entry = listOf(packages[key], origin)
    // What follows the address of the package, where it has one.
    const info = fieldsOf(entry.find((one) => typeof one === 'object') ?? {}, origin)
    install(place, memberOf(key, place.name, entry, origin), info, origin)
  }
  const graph = makeGraphBuilder('npm', origin)
  addTree(graph, root, declaredByBun(manifest.sections), treeOf(origin), origin)
  return { format: `bun-${version}`, graph: graph.finish() }
}

/** To Bun a name that is in several sections is required by each of them; an optional one alone replaces another. */
const declaredByBun = (sections: Sections): readonly Declared[] =>
  SECTIONS.flatMap((one) =>
    declaredBy({ ...NO_SECTIONS, [one]: sections[one], optionalPeers: sections.optionalPeers }),
  )

const SECTIONS = ['dependencies', 'optionalDependencies', 'devDependencies', 'peerDependencies'] as const

const NO_SECTIONS: Sections = {
  dependencies: new Map(),
  devDependencies: new Map(),
  optionalDependencies: new Map(),
  peerDependencies: new Map(),
  optionalPeers: new Set(),
}

function checkRoot({ sections }: Manifest, lock: Fields, origin: Origin): void {
  const workspaces = Object.entries(fieldsOf(lock['workspaces'], origin))
  const root = workspaces.find(([path]) => path === '')?.[1]
  if (root === undefined) refuse(origin, 'root')
  if (workspaces.length > 1) refuse(origin, 'workspaces', 'dependencies.unsupported_layout')
  const fields = fieldsOf(root, origin)
  if (!sameSections(sections, { ...sectionsOf(fields, origin), optionalPeers: peersOf(fields, origin) }))
    refuse(origin, 'stale', 'dependencies.stale_bun_lockfile')
}

const treeOf = (origin: Origin): Tree => ({
  optionalPeers: (info) => peersOf(info, origin),
  bundled: () => NONE,
  accepts: () => true,
})

/** `a/@b/c`. */
function placeOf(root: Place, key: string, origin: Origin): Place {
  let from = 0
  let place = root
  for (let to = endOfName(key, from); to >= 0; to = endOfName(key, from)) {
    place = placeIn(place, key.slice(from, to), origin)
    from = to + 1
  }
  return placeIn(place, from === 0 ? key : key.slice(from), origin)
}

/** The slash behind a name, which may hold one itself; negative behind the last. */
function endOfName(key: string, from: number): number {
  const slash = key.indexOf('/', from)
  return slash >= 0 && key[from] === '@' ? key.indexOf('/', slash + 1) : slash
}

/** `[name@version, registry or archive, {…}, integrity]`; what comes from Git or an archive has no second member. */
function memberOf(key: string, installedAs: string, entry: readonly unknown[], origin: Origin): Member {
  const { name, rest } = splitKnown(textOf(entry[0], origin), installedAs, origin)
  const integrity = integrityOf(entry, origin)
  return makeMember(
    isVersion(rest)
      ? { id: key, name, version: rest, reference: undefined, integrity }
      : { ...elsewhere(key, name, rest, origin), integrity },
  )
}

/** `name@rest`, mostly with the name that the package is installed under, which is checked. */
const splitKnown = (text: string, name: string, origin: Origin): NameAndRest =>
  text.startsWith(name) && text[name.length] === '@' && text.length > name.length + 1
    ? { name, rest: text.slice(name.length + 1) }
    : splitName(text, origin)

const isVersion = (rest: string): boolean => !/[:/]|\.tgz$|\.tar\.gz$/i.test(rest)

/** The version of a package from Git is its revision; that of an archive is not in the lock. */
function elsewhere(key: string, name: string, rest: string, origin: Origin): Omit<Package, 'integrity'> {
  if (!/^(?!file:|link:|portal:|workspace:|root:|[a-z]:)[a-z][\w+.-]*:/i.test(rest))
    refuse(origin, 'local_package', 'dependencies.unsupported_layout')
  const id = digestId('bun', `${key} ${rest}`)
  const reference = /^(?:git|github|gitlab|bitbucket).*#(?:[^#]*-)?([0-9a-f]{7,40})$/.exec(rest)?.[1]
  return { id, name, version: reference ?? digestId('bun', rest), reference }
}

function integrityOf(entry: readonly unknown[], origin: Origin): string | undefined {
  const last = entry.length > 2 ? textOf(entry.at(-1), origin) : ''
  return last.startsWith('sha512-') || /^(?:sha\d+|md5)-/.test(last) ? last : undefined
}

/** Peers that may be missing; Bun writes them as a list of names. */
function peersOf(fields: Fields, origin: Origin): ReadonlySet<string> {
  const names = fields['optionalPeers']
  return names === undefined ? NONE : new Set(listOf(names, origin).map((name) => textOf(name, origin)))
}

const NONE: ReadonlySet<string> = new Set()
