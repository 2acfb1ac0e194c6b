import type { NodeSession } from '#/nodes/api.ts'
import { act, ensureArtifact, halt, noteValues } from '#/processes/apply.ts'
import type { ReadyProcess } from '#/processes/connections/values.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { readMarkers } from '#/processes/sleep/markers.ts'
import { maySleep } from '#/processes/sleep/sleepy.ts'

/**
 * The unit or container of an active Process as its record says, running or stopped as desired; its lock is held. Answers the status
 * that was read then, undefined for one that sleeps and stays so.
 */
export async function convergeProcess(
  deps: ProcessesDeps,
  session: NodeSession,
  process: ReadyProcess,
  { isAsleep }: { readonly isAsleep: boolean },
): Promise<string | undefined> {
  const outcome = await ensureArtifact(deps, session, process)
  const stays = process.desired_state === 'stopped'
  if (stays || (isAsleep && maySleep(process))) {
    const status = stays ? await halt(deps, session, process) : undefined
    await noteValues(deps, process)
    return status
  }
  // What runs with another file than this one does not run as the record says; a container that was created is stopped.
  const isRestarted = outcome === 'applied' && process.runtime === 'systemd'
  return act(deps, session, process, isRestarted ? 'restart' : 'start')
}

/** Ids of Processes of Instances that sleep: their next visitor starts them. */
export async function sleepersAmong(
  { root = '' }: Pick<ProcessesDeps, 'root'>,
  session: NodeSession,
  processes: readonly ProcessRecord[],
): Promise<ReadonlySet<number>> {
  const sleepy = processes.filter((process) => maySleep(process))
  const instanceIds = [...new Set(sleepy.flatMap(({ instanceId }) => instanceId ?? []))]
  if (instanceIds.length === 0) return new Set()
  const markers = await session.ask(readMarkers, { root, instanceIds })
  return new Set(
    sleepy
      .filter(({ instanceId }) => {
        const found = instanceId === undefined ? undefined : markers.get(instanceId)
        return found?.awake === undefined && (found?.slept !== undefined || found?.isHalting === true)
      })
      .map(({ id }) => id),
  )
}
