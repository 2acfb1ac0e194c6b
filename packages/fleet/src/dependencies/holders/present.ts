import type { DependencyHolder } from '@fleet/contract'
import type { CopyPath, HolderInstance, NamedPackage } from '#/dependencies/holders/queries.ts'

/** One copy of the package in an Instance. */
export interface Copy extends Omit<CopyPath, 'path'> {
  /** Ids of packages from the root to the copy, which is the last. */
  readonly ids: readonly number[]
}

export const copyOf = ({ path, ...copy }: CopyPath): Copy => ({ ...copy, ids: path.split(' ').map(Number) })

/** One entry for each version in each Instance, from every copy of it. */
export function holdersOf(
  instances: readonly HolderInstance[],
  copies: readonly Copy[],
  packages: ReadonlyMap<number, NamedPackage>,
): readonly DependencyHolder[] {
  const copiesOf = Map.groupBy(
    copies.toSorted((a, b) => a.leaf - b.leaf),
    ({ observation_id }) => observation_id,
  )
  return instances
    .toSorted((a, b) => a.instance_id - b.instance_id || a.observation_id - b.observation_id)
    .flatMap((instance) => versionsIn(instance, copiesOf.get(instance.observation_id) ?? [], packages))
}

function versionsIn(
  instance: HolderInstance,
  copies: readonly Copy[],
  packages: ReadonlyMap<number, NamedPackage>,
): readonly DependencyHolder[] {
  const byVersion = Map.groupBy(copies, ({ ids }) => packages.get(ids.at(-1) ?? 0)?.version ?? '')
  return [...byVersion].map(([version, some]) => ({
    ...whereOf(instance),
    version,
    regular: some.some(({ regular }) => regular === 1),
    development: some.some(({ development }) => development === 1),
    copies: some.length,
    stale: instance.error_code !== null,
    observed_at: instance.observed_at,
    path: shortest(some).flatMap((id) => packages.get(id) ?? []),
  }))
}

const whereOf = ({
  instance_id,
  instance,
  project,
  environment,
  node_id,
  node,
  ecosystem,
}: HolderInstance) => ({
  instance_id,
  instance,
  project,
  environment,
  node: { id: node_id, name: node },
  ecosystem,
})

/** Of several copies the one that is nearest to the root; empty where nothing requires any of them. */
function shortest(copies: readonly Copy[]): readonly number[] {
  const paths = copies.flatMap(({ required_by, ids }) => (required_by === null ? [] : [ids]))
  return paths.reduce<readonly number[]>(
    (best, one) => (best.length === 0 || one.length < best.length ? one : best),
    [],
  )
}
