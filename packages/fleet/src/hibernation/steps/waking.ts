import { fail } from '@fleet/contract'
import { type Step, stepList } from '@fleet/steps'
import type { Call } from '#/call.ts'
import { restoreDependencies } from '#/hibernation/dependencies.ts'
import { type HeldInstance, nameOf } from '#/hibernation/idle.ts'
import type { HibernationDeps } from '#/hibernation/deps.ts'
import { performSteps } from '#/perform-steps.ts'
import { markersOf, markInstance } from '#/processes/api.ts'

export interface Waking extends HeldInstance {
  readonly deps: Pick<HibernationDeps, 'clock' | 'instances' | 'processes' | 'settings' | 'root'>
  readonly call: Call
}

const LOOK_MILLISECONDS = 500

const dependencies: Step<Waking> = {
  name: 'dependencies',
  run: async ({ deps, call, instance, session }) => {
    const { root, settings } = deps
    if ((await markersOf(session, { root, instanceId: instance.id }))?.isCold !== true) return 'skipped'
    const end = await restoreDependencies(deps.instances, call, instance, settings.coldWakeSeconds)
    if (end !== 'succeeded')
      throw fail('instance.wake_failed', {
        message: `The dependencies of ${nameOf(instance)} could not be installed again.`,
        details: { step: 'dependencies', outcome: end },
      })
    return undefined
  },
}

const processes: Step<Waking> = {
  name: 'processes',
  run: ({ deps, instance, session }) => deps.processes.start(session, instance.id),
}

const readiness: Step<Waking> = {
  name: 'readiness',
  run: async ({ deps: { clock, processes: sleeping, settings }, call, instance, session }) => {
    const until = clock.ticks() + settings.wakeSeconds * 1000
    for (;;) {
      const { waiting, failed } = await sleeping.unready(session, instance.id)
      if (failed.length > 0)
        throw fail('instance.wake_failed', {
          message: `${nameOf(instance)} was started and failed: ${failed.join(', ')}.`,
          details: { step: 'readiness', failed },
        })
      if (waiting.length === 0) return
      if (clock.ticks() >= until || call.signal.aborted)
        throw fail('instance.wake_failed', {
          message: `${nameOf(instance)} is not ready ${settings.wakeSeconds} s after it was started: ${waiting.join(', ')}.`,
          details: { step: 'readiness', waiting },
        })
      await clock.sleep(LOOK_MILLISECONDS, call.signal)
    }
  },
}

const awake: Step<Waking> = {
  name: 'awake',
  run: async ({ deps: { root = '' }, instance, session }) =>
    void (await session.ask(markInstance, { root, instanceId: instance.id, as: 'awake' })),
}

/** The order of a wake (HIB-016): visitors reach the Instance when everything before is done. */
export const instanceWaking = stepList<Waking>(
  'instance-waking',
  () => [dependencies, processes, readiness, awake],
  { forwardOnly: true },
)

export const wakeInstance = async (waking: Waking): Promise<void> =>
  void (await performSteps(instanceWaking, waking, { call: waking.call }))
