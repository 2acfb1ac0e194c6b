import { fail, type InputOf } from '@fleet/contract'
import { isTaken, type Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { cutOver } from '#/clusters/cutover.ts'
import { holdingCluster, requireCluster } from '#/clusters/locks.ts'
import { nameTaken, tldTaken } from '#/clusters/names.ts'
import type { ClusterRoutes } from '#/clusters/ports.ts'
import { presentCluster } from '#/clusters/present.ts'
import {
  type ClusterValues,
  findClusterByName,
  findClusterByTld,
  findForeignOwner,
  revertCluster,
  updateCluster,
} from '#/clusters/queries.ts'
import type { ClusterRecord } from '#/clusters/record.ts'
import { hasActiveRouter, isClusterState, isCutover } from '#/clusters/rules.ts'
import type { Handler } from '#/handler.ts'

/** A name is stored at once; what may move Routes holds the Cluster and is published first (CLU-005, CLU-015 to CLU-017). */
export const makeUpdate =
  (store: Store, routes: ClusterRoutes): Handler<'cluster:update'> =>
  async ({ call, input: { cluster: id, ...given }, found }) => {
    const values = requireValues(given)
    const isNameOnly = values.tld === undefined && values.state === undefined
    const updated = isNameOnly
      ? await rename(store, found?.cluster ?? (await requireCluster(store, id)), values)
      : await holdingCluster(store, call, id, (cluster) => change(store, routes, call, cluster, values))
    return { data: presentCluster(updated) }
  }

function requireValues(given: Omit<InputOf<'cluster:update'>, 'cluster'>): ClusterValues {
  const members = Object.entries(given).filter(([, value]) => value !== undefined)
  if (members.length === 0) throw fail('cluster.update_required')
  if (given.state !== undefined && !isClusterState(given.state)) throw fail('cluster.state_invalid')
  return Object.fromEntries(members)
}

async function rename(store: Store, cluster: ClusterRecord, values: ClusterValues): Promise<ClusterRecord> {
  const after = { ...cluster, ...values }
  if (after.name === cluster.name) return cluster
  await requireFree(store, cluster, after)
  await write(store, cluster.id, values)
  return after
}

async function change(
  store: Store,
  routes: ClusterRoutes,
  call: Call,
  before: ClusterRecord,
  values: ClusterValues,
): Promise<ClusterRecord> {
  const after = { ...before, ...values }
  await requireFree(store, before, after)
  if (isCutover(before, after)) await requireCutover(store, after)
  await cutOver({ store, routes }, call, {
    before,
    after,
    write: (db) => write({ db }, before.id, values),
    restore: (db) => revertCluster(db, before, values),
  })
  return after
}

async function requireFree({ db }: Store, before: ClusterRecord, after: ClusterRecord): Promise<void> {
  if (after.name !== before.name && (await findClusterByName(db, after.name))) throw nameTaken()
  if (after.tld === null || after.tld === before.tld) return
  const owner = await findClusterByTld(db, after.tld)
  if (owner) throw tldTaken(owner)
}

/** CLU-031, CLU-032. */
async function requireCutover({ db }: Store, after: ClusterRecord): Promise<void> {
  if (!hasActiveRouter(after)) throw fail('cluster.router_required')
  const owner = await findForeignOwner(db, after.id, after.tld ?? '')
  if (owner) throw fail('cluster.tld_conflict', { details: { node: owner } })
}

async function write({ db }: Pick<Store, 'db'>, id: number, values: ClusterValues): Promise<void> {
  try {
    if (await updateCluster(db, id, values)) return
  } catch (error) {
    // Another request took the value after the check.
    if (isTaken(error, 'clusters(name)')) throw nameTaken()
    throw isTaken(error, 'clusters(tld)') ? fail('cluster.tld_conflict', { cause: error }) : error
  }
  throw fail('cluster.not_found')
}
