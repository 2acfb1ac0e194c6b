import type { NodeSession } from '#/nodes/api.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { listRows } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { markersOf, markInstance } from '#/processes/sleep/markers.ts'
import { isSleepy } from '#/processes/sleep/sleepy.ts'

/** Work that wakes an Instance. */
export const WAKE = 'instance:wake'

/**
 * A person started a Process that may sleep: that counts as a use of its Instance, and one that is not awake is woken, since its
 * other Processes and its dependencies do not come with this one.
 */
export async function markStarted(
  { root = '', store, clock }: Pick<ProcessesDeps, 'root' | 'store' | 'clock'>,
  session: NodeSession,
  { id, environment, instanceId, keep_alive }: ProcessRecord,
): Promise<void> {
  if (instanceId === undefined || environment === 'production' || keep_alive === 1) return
  const as = (await hasOthers(store, { id, instanceId })) ? 'started-one' : 'started'
  const { isAwake } = await session.ask(markInstance, { root, instanceId, as })
  if (!isAwake) await addWake({ store, clock }, instanceId)
}

/**
 * The last Process that sleeps is stopped or removed: from then on no visitor wakes its Instance, so that one whose dependencies were
 * removed gets them back now (HIB-016).
 */
export async function wakeIfCold(
  deps: Waker,
  session: NodeSession,
  { id, environment, instanceId, keep_alive }: ProcessRecord,
): Promise<void> {
  if (instanceId === undefined || environment === 'production' || keep_alive === 1) return
  if (await hasOthers(deps.store, { id, instanceId })) return
  await wakeWhereCold(deps, session, instanceId)
}

/** An Instance whose dependencies were removed gets them back, and is not waited for. Whether it is one. */
export async function wakeWhereCold(
  { root, store, clock }: Waker,
  session: NodeSession,
  instanceId: number,
): Promise<boolean> {
  const isCold = (await markersOf(session, { root, instanceId }))?.isCold === true
  if (isCold) await addWake({ store, clock }, instanceId)
  return isCold
}

type Waker = Pick<ProcessesDeps, 'root' | 'store' | 'clock'>

/** Whether another Process of the Instance sleeps. */
async function hasOthers(
  { db }: ProcessesDeps['store'],
  { id, instanceId }: { readonly id: number; readonly instanceId: number },
): Promise<boolean> {
  const siblings = await listRows(db, { type: 'instance', id: instanceId })
  return siblings.some((sibling) => sibling.id !== id && isSleepy(sibling))
}

/** Under the key that visitors use, so that there is one wake. */
export async function addWake(
  { store, clock }: Pick<ProcessesDeps, 'store' | 'clock'>,
  instanceId: number,
): Promise<void> {
  const payload = { instance_id: instanceId }
  await store.work.add({ kind: WAKE, key: String(instanceId), payload, dueAt: clock.now() })
}
