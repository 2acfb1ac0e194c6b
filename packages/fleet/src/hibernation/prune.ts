import { fail } from '@fleet/contract'
import * as z from 'zod'
import { lookForPrunable, pruneDependencies } from '#/hibernation/dependencies.ts'
import { whileDue } from '#/hibernation/idle.ts'
import type { HibernationDeps } from '#/hibernation/deps.ts'
import type { StepEnd } from '#/instances/api.ts'
import { markInstance } from '#/processes/api.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

export const PRUNE = 'instance:prune'

/**
 * Removes the dependencies of an Instance that nobody has used for long. The marker comes first: what is half removed is restored.
 * Where there are none, or something still needs them, it stays as it is until the long window is over again (decision 0310).
 */
export const pruneKind = (deps: HibernationDeps): WorkKind =>
  workKind({
    name: PRUNE,
    payload: z.strictObject({ instance_id: z.int() }),
    isFoundAgain: true,
    places: 2,
    run: (call, { instance_id: instanceId }) =>
      whileDue(deps, call, { instanceId, due: 'prune' }, async ({ instance, session }) => {
        const mark = (as: 'cold' | 'kept') =>
          session.ask(markInstance, { root: deps.root ?? '', instanceId, as })
        if (await needsDependencies(deps, instanceId)) return void (await mark('kept'))
        const found = await lookForPrunable(deps.instances, call, instance)
        if (found === 'failed') return void (await mark('kept'))
        requireSuccess(found)
        await mark('cold')
        requireSuccess(await pruneDependencies(deps.instances, call, instance))
      }),
  })

/** Something of it runs while it sleeps: a Process that never stops, or a Schedule, whose runs wake nothing (HIB-007). */
async function needsDependencies(
  { store, processes, schedules }: Pick<HibernationDeps, 'store' | 'processes' | 'schedules'>,
  instanceId: number,
): Promise<boolean> {
  if ((await processes.sleepOf(store.db, instanceId)).isKeptAlive) return true
  const its = await schedules.ofInstance(instanceId)
  return its.some(({ desired_timer_state }) => desired_timer_state === 'enabled')
}

function requireSuccess(end: StepEnd | 'succeeded'): void {
  if (end !== 'succeeded') throw fail('node.command_failed', { details: { outcome: end } })
}
