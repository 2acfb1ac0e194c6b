import * as z from 'zod'
import { whileDue } from '#/hibernation/idle.ts'
import type { HibernationDeps } from '#/hibernation/deps.ts'
import { markInstance } from '#/processes/api.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

export const HALT = 'instance:sleep'

/**
 * Stops the Processes of an Instance that nobody uses (HIB-009). The marker goes first: whoever comes meanwhile wakes it
 * afterwards. It is not marked as asleep before all of them stand, so one that was halted in vain is due again.
 */
export const haltKind = (deps: HibernationDeps): WorkKind =>
  workKind({
    name: HALT,
    payload: z.strictObject({ instance_id: z.int() }),
    isFoundAgain: true,
    places: 4,
    run: (call, { instance_id: instanceId }) =>
      whileDue(deps, call, { instanceId, due: 'halt' }, async ({ session }) => {
        const { root = '' } = deps
        await session.ask(markInstance, { root, instanceId, as: 'halting' })
        await deps.processes.halt(session, instanceId)
        await session.ask(markInstance, { root, instanceId, as: 'asleep' })
      }),
  })
