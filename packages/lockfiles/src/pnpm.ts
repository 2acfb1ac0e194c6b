import type { Origin } from './failure.ts'
import { textOf } from './fields.ts'
import { type GraphBuilder, makeGraphBuilder, type Member } from './graph-builder.ts'
import type { JsSource, Read } from './js-source.ts'
import { type Declared, refuseLocal } from './manifest.ts'
import { packageName } from './package-name.ts'
import { projectDocument } from './pnpm-documents.ts'
import { rootRequirements } from './pnpm-importer.ts'
import { chosen, type Snapshot, type Snapshots, snapshotsOf } from './pnpm-snapshots.ts'

interface Lock {
  readonly snapshots: Snapshots
  /** What the project itself brings for development: pnpm does not install it for an optional peer of a package. */
  readonly developed: ReadonlySet<Member>
  readonly origin: Origin
}

/** pnpm-lock.yaml of version 9.0 with the one importer `.`; ids are the keys of snapshots (DEX-019). */
export function readPnpm({ manifest, lockFile, lockText }: JsSource): Read {
  const origin: Origin = { file: lockFile, invalid: 'dependencies.invalid_pnpm_input' }
  const lock = projectDocument(lockText, origin)
  refuseLocal(manifest.sections)
  const required = rootRequirements(manifest, lock, origin)
  const snapshots = snapshotsOf(lock, origin)
  const developed = new Set<Member>()
  const graph = makeGraphBuilder('npm', origin)
  for (const { member } of snapshots.byKey.values()) graph.add(member)
  for (const { reference, ...one } of required) {
    const target = reference === undefined ? undefined : chosen(one.name, reference, snapshots, origin)
    if (one.scope === 'development' && target !== undefined) developed.add(target)
    graph.require(undefined, target, one)
  }
  for (const one of snapshots.byKey.values()) {
    addChosen(graph, one, 'dependencies', { snapshots, developed, origin })
    addChosen(graph, one, 'optionalDependencies', { snapshots, developed, origin })
    addMissingPeers(graph, one, origin)
  }
  return { format: 'pnpm-9.0', graph: graph.finish() }
}

/** Ranges are locked for peers alone; of a dependency the lock has the chosen version instead. */
function addChosen(
  graph: GraphBuilder,
  from: Snapshot,
  section: 'dependencies' | 'optionalDependencies',
  { snapshots, developed, origin }: Lock,
): void {
  const references = from[section]
  for (const name of Object.keys(references)) {
    const target = chosen(name, references[name], snapshots, origin)
    if (Object.hasOwn(from.peerDependencies, name)) {
      const peer = peerOf(from, name, origin)
      graph.require(from.member, target, peer, !peer.optional || !developed.has(target))
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
