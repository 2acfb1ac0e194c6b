import { chunks } from '@fleet/kernel'
import type { EcosystemName } from '@fleet/contract'
import type { Database, Row } from '@fleet/store'

export type KnownPackage = Pick<Row<'dependency_packages'>, 'id' | 'ecosystem' | 'version'>

/** Every version of a package that some Instance has, or had. */
export const packagesNamed = (
  db: Database,
  name: string,
  ecosystems: readonly EcosystemName[],
): Promise<readonly KnownPackage[]> =>
  db
    .selectFrom('dependency_packages')
    .select(['id', 'ecosystem', 'version'])
    .where('ecosystem', 'in', ecosystems)
    .where('name', '=', name)
    .execute()

/** Packages of one name, and the Nodes that the caller may address. Both have members. */
export interface Sought {
  readonly packageIds: readonly number[]
  readonly nodeIds: readonly number[]
}

const held = (db: Database, { packageIds, nodeIds }: Sought) =>
  db
    .selectFrom('dependency_resolutions as resolution')
    .innerJoin('dependency_observations as observation', 'observation.id', 'resolution.observation_id')
    .innerJoin('instances as instance', 'instance.id', 'observation.instance_id')
    .where('resolution.package_id', 'in', packageIds)
    .where('instance.node_id', 'in', nodeIds)

/** How many Instances have each version. */
export async function countVersions(
  db: Database,
  sought: Sought,
): Promise<
  ReadonlyArray<{ readonly ecosystem: EcosystemName; readonly version: string; readonly instances: number }>
> {
  const rows = await held(db, sought)
    .innerJoin('dependency_packages as package', 'package.id', 'resolution.package_id')
    .select([
      'package.ecosystem',
      'package.version',
      (build) => build.fn.count<number | string>('observation.instance_id').distinct().as('instances'),
    ])
    .groupBy(['package.ecosystem', 'package.version'])
    .execute()
  // PostgreSQL counts in bigint, which its driver gives as text.
  return rows.map(({ instances, ...version }) => ({ ...version, instances: Number(instances) }))
}

export interface NotCurrent {
  readonly ecosystem: EcosystemName
  readonly unknown: number
  readonly stale: number
}

/** Of the Instances on these Nodes, how many have no inventory or a stale one; ecosystems where all are current are left out. */
export async function countNotCurrent(
  db: Database,
  ecosystems: readonly EcosystemName[],
  nodeIds: readonly number[],
): Promise<readonly NotCurrent[]> {
  if (nodeIds.length === 0) return []
  const howMany = db.fn.countAll<number | string>().as('count')
  const instances = await counted(db.selectFrom('instances').where('node_id', 'in', nodeIds).select(howMany))
  const counts: NotCurrent[] = []
  // One count for each: grouping the rows of both takes three times as long.
  for (const ecosystem of ecosystems) {
    const observed = db
      .selectFrom('instances as instance')
      .innerJoin('dependency_observations as observation', 'observation.instance_id', 'instance.id')
      .where('observation.ecosystem', '=', ecosystem)
      .where('instance.node_id', 'in', nodeIds)
    const stale = await counted(
      observed
        .innerJoin('dependency_attempts as attempt', 'attempt.instance_id', 'instance.id')
        .where('attempt.ecosystem', '=', ecosystem)
        .where('attempt.error_code', 'is not', null)
        .select(howMany),
    )
    // An Instance that is created and scanned between the two reads is in the second alone.
    const unknown = Math.max(0, instances - (await counted(observed.select(howMany))))
    if (unknown + stale > 0) counts.push({ ecosystem, unknown, stale })
  }
  return counts
}

/** PostgreSQL counts in bigint, which its driver gives as text. */
const counted = async (rows: {
  executeTakeFirstOrThrow(): Promise<{ readonly count: number | string }>
}): Promise<number> => Number((await rows.executeTakeFirstOrThrow()).count)

/** Ids of the first Instances after the given one that have one of the packages, ascending. */
export async function pageOfHolders(
  db: Database,
  sought: Sought,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly number[]> {
  const rows = await held(db, sought)
    .select('observation.instance_id')
    .distinct()
    .where('observation.instance_id', '>', page.after)
    .orderBy('observation.instance_id')
    .limit(page.limit)
    .execute()
  return rows.map(({ instance_id }) => instance_id)
}

/** What a holder shows of its Instance, for both ecosystems. */
export const holderInstances = (db: Database, instanceIds: readonly number[]) =>
  db
    .selectFrom('dependency_observations as observation')
    .innerJoin('instances as instance', 'instance.id', 'observation.instance_id')
    .innerJoin('projects as project', 'project.id', 'instance.project_id')
    .innerJoin('nodes as node', 'node.id', 'instance.node_id')
    .leftJoin('dependency_attempts as attempt', (join) =>
      join
        .onRef('attempt.instance_id', '=', 'observation.instance_id')
        .onRef('attempt.ecosystem', '=', 'observation.ecosystem'),
    )
    .select([
      'observation.id as observation_id',
      'observation.instance_id',
      'observation.ecosystem',
      'observation.observed_at',
      'instance.name as instance',
      'instance.environment',
      'project.slug as project',
      'node.id as node_id',
      'node.name as node',
      'attempt.error_code',
    ])
    .where('observation.instance_id', 'in', instanceIds)
    .execute()

/**
 * The packages in these observations, each copy by its position (`leaf`) with the ids of the packages on a shortest path
 * from the root to it. `required_by` is null where no path reaches the copy. One row for each, because reading a row for each
 * step would take most of the time.
 */
export const pathsToRoot = (db: Database, packageIds: readonly number[], observationIds: readonly number[]) =>
  db
    .withRecursive('step(observation_id, leaf, required_by, regular, development, path)', (steps) =>
      steps
        .selectFrom('dependency_resolutions as start')
        .select([
          'start.observation_id',
          'start.position as leaf',
          'start.required_by',
          'start.regular',
          'start.development',
          (build) => build.cast<string>('start.package_id', 'text').as('path'),
        ])
        .where('start.package_id', 'in', packageIds)
        .where('start.observation_id', 'in', observationIds)
        .unionAll(
          steps
            .selectFrom('step')
            .innerJoin('dependency_resolutions as next', (join) =>
              join
                .onRef('next.observation_id', '=', 'step.observation_id')
                .onRef('next.position', '=', 'step.required_by'),
            )
            .select([
              'step.observation_id',
              'step.leaf',
              'next.required_by',
              'step.regular',
              'step.development',
              (build) => {
                const behind = build(build.val(' '), '||', build.ref('step.path'))
                return build(build.cast<string>('next.package_id', 'text'), '||', behind).as('path')
              },
            ]),
        ),
    )
    .selectFrom('step')
    .selectAll()
    .where((build) => build.or([build('required_by', 'is', null), build('required_by', '<', 0)]))
    .execute()

/** SQLite binds at most 32,766 parameters in a statement. */
const PARAMETERS = 30_000

/** Names and versions by id. */
export async function packagesById(
  db: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, NamedPackage>> {
  const found = new Map<number, NamedPackage>()
  for (const some of chunks(ids, PARAMETERS)) {
    const rows = await db
      .selectFrom('dependency_packages')
      .select(['id', 'name', 'version'])
      .where('id', 'in', some)
      .execute()
    for (const { id, name, version } of rows) found.set(id, { name, version })
  }
  return found
}

export type NamedPackage = Pick<Row<'dependency_packages'>, 'name' | 'version'>
export type HolderInstance = Awaited<ReturnType<typeof holderInstances>>[number]
export type CopyPath = Awaited<ReturnType<typeof pathsToRoot>>[number]
