import { fail } from '@fleet/contract'
import { Deadline } from '@fleet/kernel'
import * as z from 'zod'
import { type Call, withDeadline } from '#/call.ts'
import { findPlaced, findSleeper, type HeldInstance } from '#/hibernation/idle.ts'
import type { HibernationDeps } from '#/hibernation/deps.ts'
import { wakeInstance } from '#/hibernation/steps/waking.ts'
import type { Wakes } from '#/hibernation/wakes.ts'
import { markersOf, RETURN_DEPENDENCIES, WAKE } from '#/processes/api.ts'
import { asCoded, type WorkKind, workKind } from '#/work/api.ts'

/** The wake of an Instance whose dependencies are installed first. */
export const COLD_WAKE = 'instance:wake-cold'

/** Above the time for the dependencies and that for the Processes. */
export const GRACE_SECONDS = 60
const CLEANUP_SECONDS = 5

/**
 * Wakes of Instances. A failure is in the audit log and the visitor's to see; the next one begins anew. What the stop of its gateway
 * ends is none: another gateway goes on with it. One that installs dependencies first goes on as work of its own: whose Processes are
 * only to be started waits for none of those (decision 0324).
 */
export const wakeKinds = (deps: HibernationDeps, wakes: Wakes): readonly WorkKind[] => [
  kindOf(deps, wakes, {
    name: WAKE,
    places: 8,
    run: async (call, instanceId) => {
      if (await isCold(deps, call, instanceId)) {
        await addColdWake(deps, instanceId)
        return 'goes on'
      }
      return wake(deps, call, instanceId)
    },
  }),
  kindOf(deps, wakes, {
    name: COLD_WAKE,
    places: 4,
    run: (call, instanceId) => wake(deps, call, instanceId),
  }),
  returnKind(deps),
]

/** Tried again as any other work, and named by Doctor when it fails for good: nobody else would find it (decision 0387). */
const returnKind = (deps: HibernationDeps): WorkKind =>
  workKind({
    name: RETURN_DEPENDENCIES,
    payload: PAYLOAD,
    places: 2,
    run: async (given, { instance_id: instanceId }) => {
      const call = withDeadline(given, new Deadline(deps.clock, longestSeconds(deps), CLEANUP_SECONDS))
      // One that is being removed needs none.
      if ((await findSleeper(deps, instanceId))?.status !== 'active') return
      await wake(deps, call, instanceId, ({ session }) => isColdOn(deps, session, instanceId))
    },
  })

const PAYLOAD = z.strictObject({ instance_id: z.int() })

interface Given extends Pick<WorkKind, 'name' | 'places'> {
  run(call: Call, instanceId: number): Promise<'goes on' | void>
}

const kindOf = (deps: HibernationDeps, wakes: Wakes, { run, ...kind }: Given): WorkKind =>
  workKind({
    ...kind,
    payload: PAYLOAD,
    isFoundAgain: true,
    run: async (given, { instance_id: instanceId }) => {
      const call = withDeadline(given, new Deadline(deps.clock, longestSeconds(deps), CLEANUP_SECONDS))
      try {
        if ((await run(call, instanceId)) !== 'goes on') wakes.end(instanceId)
      } catch (error) {
        // It goes back as work, and is nobody's to see.
        if (given.signal.aborted) {
          wakes.end(instanceId)
          throw fail('activity.interrupted', { cause: error })
        }
        const { code, message } = asCoded(error)
        wakes.end(instanceId, { code, message })
        throw error
      }
    },
  })

/**
 * Without its lock, which another wake may hold for as long as an installation takes. Whether it may be woken is asked under the lock:
 * a transfer that has added this wake is not at its end yet.
 */
async function isCold(deps: HibernationDeps, call: Call, instanceId: number): Promise<boolean> {
  const instance = await findSleeper(deps, instanceId)
  if (instance?.status !== 'active' || instance.node.status !== 'active') return false
  const session = deps.nodes.sessions.overTunnel(call, instance.node)
  return isColdOn(deps, session, instanceId)
}

const isColdOn = async (
  { root }: Pick<HibernationDeps, 'root'>,
  session: HeldInstance['session'],
  instanceId: number,
): Promise<boolean> => (await markersOf(session, { root, instanceId }))?.isCold === true

async function addColdWake({ store, clock }: HibernationDeps, instanceId: number): Promise<void> {
  const payload = { instance_id: instanceId }
  await store.work.add({ kind: COLD_WAKE, key: String(instanceId), payload, dueAt: clock.now() })
}

const wake = (
  deps: HibernationDeps,
  call: Call,
  instanceId: number,
  isDue: (held: HeldInstance) => Promise<boolean> = async () => true,
): Promise<void> =>
  deps.instances.withOperationLock(call, instanceId, 'instance.lifecycle_busy', async () => {
    const held = await findPlaced(deps, call, instanceId)
    if (held && (await isDue(held))) await wakeInstance({ deps, call, ...held })
  })

export const longestSeconds = ({ settings }: Pick<HibernationDeps, 'settings'>): number =>
  settings.coldWakeSeconds + settings.wakeSeconds + GRACE_SECONDS
