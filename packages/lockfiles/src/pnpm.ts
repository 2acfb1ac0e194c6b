import { type Origin, refuse } from './failure.ts'
import { textOf } from './fields.ts'
import { type GraphBuilder, makeGraphBuilder, type Member } from './graph-builder.ts'
import type { JsSource, Read } from './js-source.ts'
import { type Declared, refuseLocal } from './manifest.ts'
import { packageName } from './package-name.ts'
import { projectDocument } from './pnpm-documents.ts'
import { rootRequirements } from './pnpm-importer.ts'
import { keyOfReference, type Snapshot, snapshotsOf } from './pnpm-snapshots.ts'

interface Snapshots {
  readonly byKey: ReadonlyMap<string, Snapshot>
  /** What the project itself brings for development: pnpm does not install it for an optional peer of a package. */
  readonly developed: Set<Member>
  readonly origin: Origin
}

/** pnpm-lock.yaml of version 9.0 with the one importer `.`; ids are the keys of snapshots (DEX-019). */
export function readPnpm({ manifest, lockFile, lockText }: JsSource): Read {
  const origin: Origin = { file: lockFile, invalid: 'dependencies.invalid_pnpm_input' }
  const lock = projectDocument(lockText, origin)
  refuseLocal(manifest.sections)
  const required = rootRequirements(manifest, lock, origin)
  const snapshots: Snapshots = { byKey: snapshotsOf(lock, origin), developed: new Set(), origin }
  const graph = makeGraphBuilder('npm', origin)
  for (const { member } of snapshots.byKey.values()) graph.add(member)
  for (const { reference, ...one } of required) {
    const target = reference === undefined ? undefined : targetOf(one.name, reference, snapshots)
    if (one.scope === 'development' && target !== undefined) snapshots.developed.add(target)
    graph.require(undefined, target, one)
  }
  for (const one of snapshots.byKey.values()) {
    addChosen(graph, one, 'dependencies', snapshots)
    addChosen(graph, one, 'optionalDependencies', snapshots)
    addMissingPeers(graph, one, origin)
  }
  return { format: 'pnpm-9.0', graph: graph.finish() }
}

/** Ranges are locked for peers alone; of a dependency the lock has the chosen version instead. */
function addChosen(
  graph: GraphBuilder,
  from: Snapshot,
  section: 'dependencies' | 'optionalDependencies',
  snapshots: Snapshots,
): void {
  const chosen = from[section]
  for (const name of Object.keys(chosen)) {
    const target = targetOf(name, textOf(chosen[name], snapshots.origin), snapshots)
    if (Object.hasOwn(from.peerDependencies, name)) {
      const peer = peerOf(from, name, snapshots.origin)
      graph.require(from.member, target, peer, !peer.optional || !snapshots.developed.has(target))
      continue
    }
    const constraint = target.resolution.version
    const optional = section === 'optionalDependencies'
    graph.require(from.member, target, { name, constraint, kind: 'dependency', scope: 'regular', optional })
  }
}

function addMissingPeers(graph: GraphBuilder, from: Snapshot, origin: Origin): void {
  for (const name of Object.keys(from.peerDependencies)) {
    if (Object.hasOwn(from.dependencies, name) || Object.hasOwn(from.optionalDependencies, name)) continue
    graph.require(from.member, undefined, peerOf(from, packageName(name, origin), origin))
  }
}

const peerOf = ({ peerDependencies, optionalPeers }: Snapshot, name: string, origin: Origin): Declared => ({
  name,
  constraint: textOf(peerDependencies[name], origin),
  kind: 'peer',
  scope: 'regular',
  optional: optionalPeers.has(name),
})

function targetOf(name: string, reference: string, { byKey, origin }: Snapshots): Member {
  const found = byKey.get(keyOfReference(name, reference, origin))?.member
  // The names of packages are checked; another name is an alias.
  if (found?.resolution.name !== name) packageName(name, origin)
  return found ?? refuse(origin, 'missing_package')
}
