import type { DependencyHolder } from '@fleet/contract'
import type { HolderInstance, PathStep } from '#/dependencies/holders/queries.ts'

/** One entry for each version in each Instance, from the steps of every copy of it. */
export function holdersOf(
  instances: readonly HolderInstance[],
  steps: readonly PathStep[],
): readonly DependencyHolder[] {
  const stepsOf = Map.groupBy(steps, ({ observation_id }) => observation_id)
  return instances
    .toSorted((a, b) => a.instance_id - b.instance_id || a.observation_id - b.observation_id)
    .flatMap((instance) => versionsIn(instance, stepsOf.get(instance.observation_id) ?? []))
}

function versionsIn(instance: HolderInstance, steps: readonly PathStep[]): readonly DependencyHolder[] {
  const copies = [...Map.groupBy(steps, ({ leaf }) => leaf).values()]
  const byVersion = Map.groupBy(copies, (path) => path.at(-1)?.version ?? '')
  return [...byVersion].map(([version, paths]) => present(instance, version, paths))
}

/** The root comes first in every path: the one without anything that requires its first member is no path. */
function present(
  instance: HolderInstance,
  version: string,
  copies: ReadonlyArray<readonly PathStep[]>,
): DependencyHolder {
  const reached = copies.filter(([first]) => first && first.required_by !== null)
  const [shortest = []] = reached.toSorted((a, b) => a.length - b.length)
  return {
    instance_id: instance.instance_id,
    instance: instance.instance,
    project: instance.project,
    environment: instance.environment,
    node: { id: instance.node_id, name: instance.node },
    ecosystem: instance.ecosystem,
    version,
    regular: copies.some(([step]) => step?.regular === 1),
    development: copies.some(([step]) => step?.development === 1),
    copies: copies.length,
    stale: instance.error_code !== null,
    observed_at: instance.observed_at,
    path: shortest.map(({ name, version: at }) => ({ name, version: at })),
  }
}
