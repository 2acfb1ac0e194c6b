import { Deadline } from '@fleet/kernel'
import * as z from 'zod'
import { withDeadline } from '#/call.ts'
import { whilePlaced } from '#/hibernation/idle.ts'
import type { HibernationDeps } from '#/hibernation/deps.ts'
import { wakeInstance } from '#/hibernation/steps/waking.ts'
import type { Wakes } from '#/hibernation/wakes.ts'
import { WAKE } from '#/processes/api.ts'
import { asCoded, type WorkKind, workKind } from '#/work/api.ts'

/** Above the time for the dependencies and that for the Processes. */
export const GRACE_SECONDS = 60
const CLEANUP_SECONDS = 5

/** Wakes an Instance. Its failure is the visitor's to see; the next one begins anew. */
export const wakeKind = (deps: HibernationDeps, wakes: Wakes): WorkKind =>
  workKind({
    name: WAKE,
    payload: z.strictObject({ instance_id: z.int() }),
    run: async (given, { instance_id: instanceId }) => {
      const seconds = longestSeconds(deps)
      const call = withDeadline(given, new Deadline(deps.clock, seconds, CLEANUP_SECONDS))
      try {
        await whilePlaced(deps, call, instanceId, (held) => wakeInstance({ deps, call, ...held }))
        wakes.end(instanceId)
      } catch (error) {
        const { code, message } = asCoded(error)
        given.note.property('error_code', code)
        wakes.end(instanceId, { code, message })
      }
    },
  })

export const longestSeconds = ({ settings }: Pick<HibernationDeps, 'settings'>): number =>
  settings.coldWakeSeconds + settings.wakeSeconds + GRACE_SECONDS
