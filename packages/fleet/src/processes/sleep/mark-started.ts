import type { NodeSession } from '#/nodes/api.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { forsakenOn, listRows } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { markersOf, markInstance, readMarkers } from '#/processes/sleep/markers.ts'
import { isSleepy } from '#/processes/sleep/sleepy.ts'

/** Work that wakes an Instance: its visitors add it. */
export const WAKE = 'instance:wake'

/** Work that gives an Instance the dependencies back that it lost in its sleep, until it has them: no visitor may come for it. */
export const RETURN_DEPENDENCIES = 'instance:return-dependencies'

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
  if (isCold) await addReturn({ store, clock }, instanceId)
  return isCold
}

/** The same for the Instances of a Node of which no visitor wakes any: their last Process that sleeps went while it did not answer. */
export async function wakeForsaken({ root = '', store, clock }: Waker, session: NodeSession): Promise<void> {
  const instanceIds = await forsakenOn(store.db, session.node.id)
  if (instanceIds.length === 0) return
  for (const [id, { isCold }] of await session.ask(readMarkers, { root, instanceIds }))
    if (isCold) await addReturn({ store, clock }, id)
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
export const addWake = (deps: Adder, instanceId: number): Promise<void> => addWork(deps, WAKE, instanceId)

const addReturn = (deps: Adder, instanceId: number): Promise<void> =>
  addWork(deps, RETURN_DEPENDENCIES, instanceId)

type Adder = Pick<ProcessesDeps, 'store' | 'clock'>

async function addWork({ store, clock }: Adder, kind: string, instanceId: number): Promise<void> {
  const payload = { instance_id: instanceId }
  await store.work.add({ kind, key: String(instanceId), payload, dueAt: clock.now() })
}
