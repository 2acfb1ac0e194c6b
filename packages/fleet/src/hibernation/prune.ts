import { fail } from '@fleet/contract'
import * as z from 'zod'
import { pruneDependencies } from '#/hibernation/dependencies.ts'
import { whileDue } from '#/hibernation/idle.ts'
import type { HibernationParts } from '#/hibernation/parts.ts'
import { markInstance } from '#/processes/api.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

export const PRUNE = 'instance:prune'

/** The next sweep finds an Instance again that could not be pruned. */
const ONCE = 1

/** Removes the dependencies of an Instance that nobody has used for long. The marker comes first: what is half removed is restored. */
export const pruneKind = (parts: HibernationParts): WorkKind =>
  workKind({
    name: PRUNE,
    payload: z.strictObject({ instance_id: z.int() }),
    maxAttempts: ONCE,
    run: (call, { instance_id: instanceId }) =>
      whileDue(parts, call, { instanceId, due: 'prune' }, async ({ instance, session }) => {
        if (await parts.processes.isKeptAlive(parts.store.db, instanceId)) return
        await session.ask(markInstance, { root: parts.root ?? '', instanceId, as: 'cold' })
        const end = await pruneDependencies(parts.instances, call, instance)
        if (end !== 'succeeded') throw fail('node.command_failed', { details: { outcome: end } })
      }),
  })
