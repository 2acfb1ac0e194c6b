import { fail } from '@fleet/contract'
import type { EnvironmentDeps } from '#/environment/deps.ts'
import type { OwnRoute, TestDatabase } from '#/environment/ports.ts'
import {
  type FileRecord,
  fileRecord,
  keysStoredSince,
  placementRow,
  type StoredValue,
  storedValues,
} from '#/environment/queries.ts'
import type { InstanceRecord } from '#/instances/api.ts'

/** A change of the Route of an Instance. */
export interface Transition {
  /** What the file says in place of the domain that the Route has now. */
  readonly domain?: string
  /** Done by the Route: it need not be that of the Instance yet, and names that only the file has are lost (ENV-050). */
  readonly isRouted?: true
}

/** Route, values and file record of one Instance at one moment, values still sealed (ENV-039). */
export interface Snapshot {
  readonly route: OwnRoute | undefined
  readonly values: readonly StoredValue[]
  readonly file: FileRecord
  /** Keys whose stored value the file cannot have yet. */
  readonly storedSince: ReadonlySet<string>
  readonly testDatabase: TestDatabase | undefined
  /** True when the record already says that the file holds exactly these names. */
  isConfirmed(names: readonly string[]): boolean
}

/** One transaction. Throws `env.owner_unavailable` when the Instance moved meanwhile or its Route is in transition (ENV-024). */
export async function takeSnapshot(
  { store, routes, databases }: Pick<EnvironmentDeps, 'store' | 'routes' | 'databases'>,
  instance: InstanceRecord,
  { domain, isRouted }: Transition = {},
): Promise<Snapshot> {
  const { placement, ...found } = await store.transaction(async (db) => ({
    placement: await placementRow(db, instance.id),
    route: await routes.ownRoute(instance.id, db),
    values: await storedValues(db, instance.id),
    file: await fileRecord(db, instance.id),
    storedSince: await keysStoredSince(db, instance.id),
    testDatabase: await databases.testDatabase(instance.id, db),
  }))
  if (placement?.status !== instance.status || placement.node_id !== instance.node_id)
    throw fail('env.owner_unavailable')
  // Who changes the domain says which of the two is meant.
  if (domain !== undefined && (found.route || isRouted))
    found.route = { domain, healthy: true, inTransition: false }
  else if (found.route?.inTransition)
    throw fail('env.owner_unavailable', { details: { reason: 'route_in_transition' } })
  return { ...found, isConfirmed: (names) => isConfirmed(found.file, names) }
}

const isConfirmed = ({ known, pending }: FileRecord, names: readonly string[]): boolean =>
  pending.length === 0 && known.length === names.length && new Set([...known, ...names]).size === names.length
