import type { Origin } from './failure.ts'
import {
  type GraphBuilder,
  makeGraphBuilder,
  type Member,
  openDeclared,
  openRequirement,
  type OpenRequirement,
} from './graph-builder.ts'
import type { JsSource, Read } from './js-source.ts'
import { refuseLocal } from './manifest.ts'
import { packageName } from './package-name.ts'
import { projectDocument } from './pnpm-documents.ts'
import { rootRequirements } from './pnpm-importer.ts'
import type { PackageEntry } from './pnpm-packages.ts'
import { type Snapshot, type Snapshots, snapshotsOf, targetOf } from './pnpm-snapshots.ts'

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
  const required = rootRequirements(manifest, lock.fields, origin)
  const snapshots = snapshotsOf(lock, origin)
  const developed = new Set<Member>()
  const graph = makeGraphBuilder('npm', origin)
  for (const { member } of snapshots.all) graph.add(member)
  for (const { reference, ...one } of required) {
    const target = reference === undefined ? undefined : targetOf(one.name, reference, snapshots, origin)
    if (one.scope === 'development' && target !== undefined) developed.add(target)
    graph.require(undefined, target, openDeclared(one))
  }
  for (const one of snapshots.all) {
    addChosen(graph, one, { snapshots, developed, origin })
    addMissingPeers(graph, one, origin)
  }
  return { format: 'pnpm-9.0', graph: graph.finish() }
}

/** Ranges are locked for peers alone; of a dependency the lock has the chosen version instead. */
function addChosen(graph: GraphBuilder, from: Snapshot, { snapshots, developed, origin }: Lock): void {
  const { peerDependencies, optionalPeers } = from.entry
  for (const one of from.chosen) {
    const target = targetOf(one.name, one.constraint, snapshots, origin)
    const range = peerDependencies.size > 0 ? peerDependencies.get(one.name) : undefined
    one.constraint = range ?? target.resolution.version
    if (range !== undefined) {
      one.kind = 'peer'
      one.optional = optionalPeers.has(one.name)
    }
    graph.require(from.member, target, one, range === undefined || !one.optional || !developed.has(target))
  }
}

function addMissingPeers(graph: GraphBuilder, from: Snapshot, origin: Origin): void {
  const { peerDependencies } = from.entry
  if (peerDependencies.size === 0) return
  const chosen = new Set(from.chosen.map(({ name }) => name))
  for (const [name, range] of peerDependencies)
    if (!chosen.has(name))
      graph.require(from.member, undefined, missingPeer(from.entry, packageName(name, origin), range))
}

const missingPeer = ({ optionalPeers }: PackageEntry, name: string, constraint: string): OpenRequirement =>
  openRequirement(name, constraint, 'peer', 'regular', optionalPeers.has(name))
