import { fail } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import type { HibernationDeps } from '#/hibernation/deps.ts'
import type { Wakes } from '#/hibernation/wakes.ts'
import { readMarkers, WAKE } from '#/processes/api.ts'

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
    const name = `${instance.project.slug}/${instance.name}`
    if (instance.environment === 'production') return { data: { state: 'awake' } }
    // Without a Process that sleeps it is awake, unless its dependencies were removed before that one was stopped.
    const maySleep = await deps.processes.hasSleepy(deps.store.db, id)
    const failure = wakes.takeFailure(id)
    if (failure) return { data: { state: 'failed', instance: name, ...failure } }
    if (!wakes.isRunning(id)) {
      const isAwake = async (): Promise<boolean> => {
        const session = deps.nodes.sessions.overTunnel(call, instance.node)
        const markers = await session.ask(readMarkers, { root: deps.root ?? '', instanceIds: [id] })
        return maySleep ? markers.get(id)?.awake !== undefined : markers.get(id)?.isCold !== true
      }
      if (await wakes.together(id, isAwake)) return { data: { state: 'awake' } }
      if (wakes.begin(id)) await addWake(deps, wakes, id)
    }
    return { data: { state: 'pending', instance: name } }
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
