import { fail } from '@fleet/contract'
import * as z from 'zod'
import { pruneDependencies } from '#/hibernation/dependencies.ts'
import { whileDue } from '#/hibernation/idle.ts'
import type { HibernationDeps } from '#/hibernation/deps.ts'
import { markInstance } from '#/processes/api.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

export const PRUNE = 'instance:prune'

/** The next sweep finds an Instance again that could not be pruned. */
const ONCE = 1

/** Removes the dependencies of an Instance that nobody has used for long. The marker comes first: what is half removed is restored. */
export const pruneKind = (deps: HibernationDeps): WorkKind =>
  workKind({
    name: PRUNE,
    payload: z.strictObject({ instance_id: z.int() }),
    maxAttempts: ONCE,
    run: (call, { instance_id: instanceId }) =>
      whileDue(deps, call, { instanceId, due: 'prune' }, async ({ instance, session }) => {
        if ((await deps.processes.sleepOf(deps.store.db, instanceId)).isKeptAlive) return
        await session.ask(markInstance, { root: deps.root ?? '', instanceId, as: 'cold' })
        const end = await pruneDependencies(deps.instances, call, instance)
        if (end !== 'succeeded') throw fail('node.command_failed', { details: { outcome: end } })
      }),
  })
