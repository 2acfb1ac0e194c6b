import type { ClusterData, InputOf } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { nameTaken, tldTaken } from '#/clusters/names.ts'
import { presentCluster } from '#/clusters/present.ts'
import { findCluster, findHolders, insertCluster } from '#/clusters/queries.ts'
import type { Handler } from '#/handler.ts'

type Input = InputOf<'cluster:create'>
type Created = { readonly data: ClusterData; readonly created: boolean }

// Each round loses to another creation in the same moment, whose Cluster is gone again in the next.
const ROUNDS = 5

/** Inactive and without members; an exact repeat answers the stored Cluster as it is by now (CLU-004, CLU-014). */
export const makeCreate =
  (store: Store, clock: Clock): Handler<'cluster:create'> =>
  async ({ call, input }) => {
    const row = { name: input.name, tld: input.tld ?? null, state: 'inactive' } as const
    for (let round = 0; round < ROUNDS; round += 1) {
      const repeated = await storedOrRefuse(store, call, input)
      if (repeated) return repeated
      const cluster = await insertCluster(store.db, { ...row, created_at: clock.now().toISOString() })
      if (!cluster) continue
      call.note.subject('cluster', cluster.id)
      return { data: presentCluster({ ...cluster, members: [] }), created: true }
    }
    throw nameTaken()
  }

/** The stored Cluster of an exact repeat; undefined when nothing conflicts with a new one. */
async function storedOrRefuse(
  { db }: Store,
  call: Call,
  { name, tld = null }: Input,
): Promise<Created | undefined> {
  const holders = await findHolders(db, { name, tld })
  const namesake = holders.find((holder) => holder.name === name)
  if (!namesake) {
    const [owner] = holders
    if (owner) throw tldTaken(owner)
    return undefined
  }
  const known = await findCluster(db, namesake.id)
  // Removed meanwhile: the next round looks again.
  if (!known) return undefined
  if (known.tld !== tld) throw nameTaken()
  call.note.subject('cluster', known.id)
  return { data: presentCluster(known), created: false }
}
