import { type Origin, refuse } from './failure.ts'
import type { Requirement } from './graph.ts'
import { type GraphBuilder, makeGraphBuilder } from './graph-builder.ts'
import type { JsSource, Read } from './js-source.ts'
import { type Declared, refuseLocal } from './manifest.ts'
import { projectDocument } from './pnpm-documents.ts'
import { rootRequirements } from './pnpm-importer.ts'
import { keyOfReference, type Snapshot, snapshotsOf } from './pnpm-snapshots.ts'

type Snapshots = ReadonlyMap<string, Snapshot>

/** pnpm-lock.yaml of version 9.0 with the one importer `.`; ids are the keys of snapshots (DEX-019). */
export function readPnpm({ manifest, lockFile, lockText }: JsSource): Read {
  const origin: Origin = { file: lockFile, invalid: 'dependencies.invalid_pnpm_input' }
  const lock = projectDocument(lockText, origin)
  refuseLocal(manifest.sections)
  const required = rootRequirements(manifest, lock, origin)
  const snapshots = snapshotsOf(lock, origin)
  const graph = makeGraphBuilder('npm', origin)
  for (const { resolution } of snapshots.values()) graph.add(resolution)
  // What the project itself brings for development, pnpm does not install for an optional peer of a package.
  const developed = new Set<string | undefined>()
  for (const { reference, ...one } of required) {
    const key = reference === undefined ? undefined : keyOfReference(one.name, reference, origin)
    const target = key === undefined ? undefined : targetOf(key, snapshots, origin).id
    if (one.scope === 'development') developed.add(target)
    graph.require({ ...one, source: undefined, target })
  }
  for (const one of snapshots.values()) addRequirements(graph, one, snapshots, origin)
  const installs = ({ source, target, kind, optional }: Requirement): boolean =>
    source === undefined || kind === 'dependency' || !optional || !developed.has(target)
  return { format: 'pnpm-9.0', graph: graph.finish({ installs }) }
}

/** Ranges are locked for peers alone; of a dependency the lock has the chosen version instead. */
function addRequirements(graph: GraphBuilder, from: Snapshot, snapshots: Snapshots, origin: Origin): void {
  const source = from.resolution.id
  for (const section of ['dependencies', 'optionalDependencies'] as const)
    for (const [name, key] of from[section]) {
      const range = from.peerDependencies.get(name)
      const { id: target, version } = targetOf(key, snapshots, origin)
      const optional = range === undefined ? section === 'optionalDependencies' : from.optionalPeers.has(name)
      const kind: Declared['kind'] = range === undefined ? 'dependency' : 'peer'
      graph.require({ source, target, name, constraint: range ?? version, kind, scope: 'regular', optional })
    }
  for (const [name, constraint] of from.peerDependencies)
    if (!from.dependencies.has(name) && !from.optionalDependencies.has(name))
      graph.require({
        source,
        target: undefined,
        name,
        constraint,
        kind: 'peer',
        scope: 'regular',
        optional: from.optionalPeers.has(name),
      })
}

const targetOf = (key: string, snapshots: Snapshots, origin: Origin): Snapshot['resolution'] =>
  snapshots.get(key)?.resolution ?? refuse(origin, 'missing_package')
