import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Handler } from '#/handler.ts'
import { nameOf } from '#/hibernation/idle.ts'
import type { HibernationDeps } from '#/hibernation/deps.ts'
import type { Wakes } from '#/hibernation/wakes.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { markersOf, WAKE } from '#/processes/api.ts'

/**
 * Answers a visitor of an Instance that is not marked as awake: whether it is, how its last wake failed, or that it wakes. Any
 * number of visitors begin one wake (HIB-012 to HIB-015).
 */
export const makeWake =
  (deps: HibernationDeps, wakes: Wakes): Handler<'instance:wake'> =>
  async ({ call, input, found }) => {
    const instance = found?.instance ?? (await deps.instances.find(input.instance))
    if (!instance) throw fail('instance.not_found')
    const { id } = instance
    const name = nameOf(instance)
    if (instance.environment === 'production') return { data: { state: 'awake' } }
    const { maySleep, couldSleep } = await deps.processes.sleepOf(deps.store.db, id)
    // It is awake, unless its dependencies were removed before its Processes were stopped.
    if (!maySleep && !couldSleep) return { data: { state: 'awake' } }
    const failure = wakes.takeFailure(id)
    if (failure) return { data: { state: 'failed', instance: name, ...failure } }
    if (!wakes.isRunning(id)) {
      const look = maySleep ? isMarked : isComplete
      const isAwake = () =>
        look(deps.nodes.sessions.overTunnel(call, instance.node), { root: deps.root, instanceId: id })
      if (await wakes.together(id, isAwake)) return { data: { state: 'awake' } }
      if (wakes.begin(id)) await addWake(deps, wakes, id)
    }
    return { data: { state: 'pending', instance: name } }
  }

type Looking = Parameters<typeof markersOf>[1]

const isMarked = async (session: NodeSession, at: Looking): Promise<boolean> =>
  (await markersOf(session, at))?.awake !== undefined

/** Where nothing sleeps, a Node that cannot be asked keeps no visitor out. */
async function isComplete(session: NodeSession, at: Looking): Promise<boolean> {
  try {
    return (await markersOf(session, at))?.isCold !== true
  } catch (error) {
    if (error instanceof CodedError) return true
    throw error
  }
}

async function addWake({ store, clock }: HibernationDeps, wakes: Wakes, instanceId: number): Promise<void> {
  const payload = { instance_id: instanceId }
  try {
    await store.work.add({ kind: WAKE, key: String(instanceId), payload, dueAt: clock.now() })
  } catch (error) {
    // Nothing will end it: the next visitor begins it again.
    wakes.end(instanceId)
    throw error
  }
}
