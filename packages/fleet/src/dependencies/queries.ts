import { chunks } from '@fleet/kernel'
import { createHash } from 'node:crypto'
import type { EcosystemName } from '@fleet/contract'
import { type Graph, requiredBy, type Resolution } from '@fleet/lockfiles'
import type { Database, NewRow, Row } from '@fleet/store'
import type { StoredResolution } from '#/dependencies/stored-graph.ts'

export type Attempt = Row<'dependency_attempts'>
export type Observation = Row<'dependency_observations'> & { readonly graph: string | null }

/** SQLite binds at most 32,766 parameters in a statement. */
const PARAMETERS = 30_000

export const attemptsOf = (db: Database, instanceId: number): Promise<Attempt[]> =>
  db.selectFrom('dependency_attempts').selectAll().where('instance_id', '=', instanceId).execute()

export const observationsOf = (db: Database, instanceId: number): Promise<Observation[]> =>
  db
    .selectFrom('dependency_observations as observation')
    .leftJoin('dependency_graphs as stored', 'stored.observation_id', 'observation.id')
    .selectAll('observation')
    .select('stored.graph')
    .where('observation.instance_id', '=', instanceId)
    .execute()

/** The latest scan of each ecosystem of the Instances on a Node, and whether an earlier one succeeded. */
export async function attemptsOn(db: Database, nodeId: number) {
  const rows = await db
    .selectFrom('dependency_attempts as attempt')
    .innerJoin('instances as instance', 'instance.id', 'attempt.instance_id')
    .leftJoin('dependency_observations as observation', (join) =>
      join
        .onRef('observation.instance_id', '=', 'attempt.instance_id')
        .onRef('observation.ecosystem', '=', 'attempt.ecosystem'),
    )
    .select([
      'attempt.instance_id',
      'instance.name',
      'attempt.ecosystem',
      'attempt.error_code',
      'observation.id as observation_id',
    ])
    .where('instance.node_id', '=', nodeId)
    .orderBy('attempt.instance_id')
    .orderBy('attempt.ecosystem')
    .execute()
  return rows.map(({ observation_id, ...attempt }) => ({ ...attempt, observed: observation_id !== null }))
}

/** By position. */
export async function resolutionsOf(db: Database, observationId: number): Promise<StoredResolution[]> {
  const rows = await db
    .selectFrom('dependency_resolutions as resolution')
    .innerJoin('dependency_packages as package', 'package.id', 'resolution.package_id')
    .select([
      'package.ecosystem',
      'package.name',
      'package.version',
      'package.reference',
      'package.integrity',
      'resolution.regular',
      'resolution.development',
    ])
    .where('resolution.observation_id', '=', observationId)
    .orderBy('resolution.position')
    .execute()
  return rows.map(({ regular, development, ...identity }) => ({
    ...identity,
    regular: regular === 1,
    development: development === 1,
  }))
}

/** Records how a scan of an ecosystem ended; the one before it is forgotten. */
export async function putAttempt(db: Database, attempt: NewRow<'dependency_attempts'>): Promise<void> {
  await db
    .insertInto('dependency_attempts')
    .values(attempt)
    .onConflict((conflict) => conflict.columns(['instance_id', 'ecosystem']).doUpdateSet(attempt))
    .execute()
}

export type ObservedSource = Omit<NewRow<'dependency_observations'>, 'id' | 'graph_digest'>

/** A graph with the text and the digest that its row gets. */
export interface PackedGraph {
  readonly graph: Graph
  readonly text: string
  readonly digest: string
}

/** Replaces the observation of an ecosystem. An unchanged graph keeps its rows. */
export async function putObservation(
  db: Database,
  source: ObservedSource,
  packed: PackedGraph | undefined,
): Promise<void> {
  const { instance_id, ecosystem } = source
  const digest = packed?.digest ?? null
  const previous = await db
    .selectFrom('dependency_observations')
    .select(['id', 'graph_digest'])
    .where('instance_id', '=', instance_id)
    .where('ecosystem', '=', ecosystem)
    .executeTakeFirst()
  if (previous?.graph_digest === digest) {
    await db.updateTable('dependency_observations').set(source).where('id', '=', previous.id).execute()
    return
  }
  if (previous) await db.deleteFrom('dependency_observations').where('id', '=', previous.id).execute()
  const { id } = await db
    .insertInto('dependency_observations')
    .values({ ...source, graph_digest: digest })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (!packed) return
  await db.insertInto('dependency_graphs').values({ observation_id: id, graph: packed.text }).execute()
  await putResolutions(db, id, packed.graph)
}

async function putResolutions(db: Database, observationId: number, graph: Graph): Promise<void> {
  const digests = graph.resolutions.map((one) => packageDigest(graph.ecosystem, one))
  const ids = await packageIds(db, graph, digests)
  const by = requiredBy(graph)
  const rows = graph.resolutions.map((one, position) => ({
    observation_id: observationId,
    position,
    package_id: ids.get(digests[position] ?? '') ?? 0,
    regular: one.regular ? (1 as const) : (0 as const),
    development: one.development ? (1 as const) : (0 as const),
    required_by: by[position] ?? null,
  }))
  for (const some of chunks(rows, PARAMETERS / 6))
    await db.insertInto('dependency_resolutions').values(some).execute()
}

const packageDigest = (ecosystem: EcosystemName, one: Resolution): string =>
  createHash('sha256')
    .update(JSON.stringify([ecosystem, one.name, one.version, one.reference ?? null, one.integrity ?? null]))
    .digest('base64url')
    .slice(0, 22)

/** Ids of the packages of a graph by digest; those that no Instance had yet are added. */
async function packageIds(
  db: Database,
  { ecosystem, resolutions }: Graph,
  digests: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const known = await knownPackages(db, digests)
  const missing = new Map<string, NewRow<'dependency_packages'>>()
  for (const [position, { name, version, reference = null, integrity = null }] of resolutions.entries()) {
    const digest = digests[position] ?? ''
    if (!known.has(digest)) missing.set(digest, { ecosystem, name, version, reference, integrity, digest })
  }
  if (missing.size === 0) return known
  // In one order for everybody: two scans that add the same packages never wait for each other in a circle.
  const added = [...missing.values()].toSorted((a, b) => (a.digest < b.digest ? -1 : 1))
  for (const some of chunks(added, PARAMETERS / 6))
    await db
      .insertInto('dependency_packages')
      .values(some)
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .execute()
  return new Map([...known, ...(await knownPackages(db, [...missing.keys()]))])
}

async function knownPackages(db: Database, digests: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  for (const some of chunks([...new Set(digests)], PARAMETERS)) {
    const rows = await db
      .selectFrom('dependency_packages')
      .select(['digest', 'id'])
      .where('digest', 'in', some)
      .execute()
    for (const { digest, id } of rows) found.set(digest, id)
  }
  return found
}
