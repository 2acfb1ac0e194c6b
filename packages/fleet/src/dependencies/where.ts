import { type DependencyHolders, ecosystems, fail } from '@fleet/contract'
import { isInRange, isVersionRange } from '@fleet/lockfiles'
import type { Store } from '@fleet/store'
import type { DependencyDeps } from '#/dependencies/deps.ts'
import { copyOf, holdersOf } from '#/dependencies/holders/present.ts'
import {
  countNotCurrent,
  countVersions,
  holderInstances,
  packagesById,
  packagesNamed,
  pageOfHolders,
  pathsToRoot,
  type Sought,
} from '#/dependencies/holders/queries.ts'
import type { Handler } from '#/handler.ts'

/** The Instances that the caller may address and that have a package, by version and path. */
export const makeWhere =
  ({ store, nodes }: Pick<DependencyDeps, 'store' | 'nodes'>): Handler<'dependency:where'> =>
  async ({ call, input }) => {
    const { package: name, range, ecosystem, limit, after = 0 } = input
    if (range !== undefined && !isVersionRange(range)) throw fail('dependencies.range_invalid')
    const asked = ecosystem ? [ecosystem] : ecosystems
    const named = await packagesNamed(store.db, name, asked)
    const packageIds = named
      .filter(({ version }) => range === undefined || isInRange(version, range))
      .map(({ id }) => id)
    const nodeIds = call.caller ? [...(await nodes.addressable(call.caller))] : []
    const found = await findHolders(store, { packageIds, nodeIds }, { limit, after })
    const not_current = [...(await countNotCurrent(store.db, asked, nodeIds))]
    return { data: { package: name, range: range ?? null, ...found, not_current } }
  }

type Found = Pick<DependencyHolders, 'versions' | 'holders' | 'next'>

async function findHolders(
  { db }: Pick<Store, 'db'>,
  sought: Sought,
  { limit, after }: { readonly limit: number; readonly after: number },
): Promise<Found> {
  if (sought.packageIds.length === 0 || sought.nodeIds.length === 0)
    return { versions: [], holders: [], next: null }
  const versions = await countVersions(db, sought)
  const ids = await pageOfHolders(db, sought, { after, limit: limit + 1 })
  const shown = ids.slice(0, limit)
  const instances = shown.length === 0 ? [] : await holderInstances(db, shown)
  const observationIds = instances.map(({ observation_id }) => observation_id)
  const paths = instances.length === 0 ? [] : await pathsToRoot(db, sought.packageIds, observationIds)
  const copies = paths.map(copyOf)
  const packages = await packagesById(db, [...new Set(copies.flatMap(({ ids: on }) => on))])
  return {
    versions: versions.toSorted(byFrequency),
    holders: [...holdersOf(instances, copies, packages)],
    next: ids.length > limit ? (shown.at(-1) ?? null) : null,
  }
}

type Version = Found['versions'][number]

const byFrequency = (a: Version, b: Version): number =>
  b.instances - a.instances || keyOf(a).localeCompare(keyOf(b))
const keyOf = ({ ecosystem, version }: Version): string => `${ecosystem} ${version}`
